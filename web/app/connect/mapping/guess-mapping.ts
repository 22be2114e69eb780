/** Guesses what the fields of a waiting body mean, from their names and values. */
import { foldText } from '../../../plain-text.js'
import { getMeasureName, getShownType, type AnyMeasure } from '../../data/measures.js'
import { getUnit } from '../../data/units.js'
import { toItemPointer, type BodyField } from './body-fields.js'
import { guessPairs, pairRoles } from './field-pairs.js'

/** What a field may mean. All but `value` are meant by one field at most. */
export const roles = [
  'value',
  ...pairRoles,
  'time',
  'end',
  'duration',
  'unit',
  'source',
  'description'
] as const
export type Role = (typeof roles)[number]

/** What the user says about the fields of a body. */
export interface Meaning {
  /** Pointer of the list whose entries are values; the body is one value without it. */
  readonly list: string | undefined
  /** By pointer. */
  readonly roles: Readonly<Record<string, Role>>
}

const timeNames = /time|date|stamp|^ts$|^at$|when|created|recorded|measured|zeit|datum|heure/i
const endNames = /^(?:end|stop|until|to$|finish)|end(?:time|date|ed|_?at)$/i
const otherNames = /(?:^|[_-])id$|^id|Id$|^lat|^lon|^lng|version|index|battery/i
const unitNames = /^units?$|[_-]unit$|Unit$|einheit|unité/
/** Values of settings that choose between units, which are no units. */
const unitSystems = /^(?:metric|imperial|si|uk|us)$/i
const sourceNames = /device|source|sensor|gerät|appareil/i
const noteNames = /^(?:note|comment|description|remark|text)s?$/i
/** Names of fields that are no names of measures. */
const synonyms: Readonly<Record<string, string>> = {
  bpm: 'heart-rate',
  hr: 'heart-rate',
  kg: 'weight',
  lbs: 'weight',
  pulse: 'heart-rate'
}

/** Returns the most likely meaning of the fields of a body: its first list of entries with a number, or the body itself. */
export function guessMeaning(fields: readonly BodyField[], measures: readonly AnyMeasure[]): Meaning {
  const isListed = fields.some(({ pointer }) => pointer.startsWith('/0/'))
  const lists = fields.filter(({ kind, count = 0 }) => kind === 'list' && count > 0)
  const list =
    isListed || fields[0]?.pointer === '/0'
      ? ''
      : lists.find(({ pointer }) => {
          const inside = fields.filter(field => toItemPointer(field.pointer, pointer) !== undefined)
          return inside.some(field => isNumber(field) && !isTime(field)) && inside.some(isTime)
        })?.pointer
  const own = fields.filter(
    field => field.kind === 'value' && toItemPointer(field.pointer, list) !== undefined
  )
  const found: Record<string, Role> = Object.create(null) as Record<string, Role>
  const mark = (role: Role, field: BodyField | undefined): void => {
    if (field && !(field.pointer in found)) found[field.pointer] = role
  }
  const times = own.filter(isTime)
  const starts = times.filter(({ name }) => !endNames.test(name))
  mark('time', starts.find(({ name }) => timeNames.test(name)) ?? starts[0])
  if (starts.length > 0)
    mark(
      'end',
      times.find(({ name }) => endNames.test(name))
    )
  const numbers = own.filter(
    field => isNumber(field) && !times.includes(field) && !otherNames.test(field.name)
  )
  const paired = guessPairs(own.filter(isNumber))
  for (const [role, field] of paired) mark(role, field)
  const single = numbers.filter(({ pointer }) => !(pointer in found))
  mark(
    'value',
    single.find(({ pointer }) => guessMeasure(pointer, measures)) ??
      (paired.length === 0 ? single[0] : undefined)
  )
  const texts = own.filter(({ value }) => typeof value === 'string')
  mark(
    'unit',
    texts.find(({ name, value }) => unitNames.test(name) && !unitSystems.test(String(value)))
  )
  mark(
    'source',
    texts.find(({ name }) => sourceNames.test(name))
  )
  mark(
    'description',
    texts.find(({ name }) => noteNames.test(name))
  )
  return { list, roles: found }
}

/**
 * Returns the measure that the names in a pointer mean: the one with the longest name in it, or one by a
 * synonym; undefined if there is none.
 */
export function guessMeasure(pointer: string, measures: readonly AnyMeasure[]): AnyMeasure | undefined {
  const words = splitWords(pointer)
  let found: { readonly measure: AnyMeasure; readonly length: number } | undefined
  for (const { measure, own } of listNames(measures)) {
    const isMeant = own.length > 0 && own.every(word => words.includes(word))
    if (isMeant && own.length > (found?.length ?? 0)) found = { measure, length: own.length }
  }
  if (found) return found.measure
  const id = words.flatMap(word => (Object.hasOwn(synonyms, word) ? synonyms[word]! : [])).at(-1)
  return measures.find(measure => measure.id === id)
}

interface NamedMeasure {
  readonly measure: AnyMeasure
  /** Words of one of its names. */
  readonly own: readonly string[]
}
const namesByMeasures = new WeakMap<readonly AnyMeasure[], readonly NamedMeasure[]>()

/** Returns the names of the measures of single numbers. Those of the same list are split only once. */
function listNames(measures: readonly AnyMeasure[]): readonly NamedMeasure[] {
  let names = namesByMeasures.get(measures)
  if (!names) {
    names = measures
      .filter(isOfNumbers)
      .flatMap(measure =>
        [measure.id, getMeasureName(measure)].map(name => ({ measure, own: splitWords(name) }))
      )
    namesByMeasures.set(measures, names)
  }
  return names
}

/** Returns the unit that the names in a pointer mean, as a type; that in which the user sees the measure by default. */
export function guessUnit(pointer: string, measure: AnyMeasure): string {
  const words = splitWords(pointer)
  const { offered = [] } = measure.unit ?? {}
  return (
    offered.find(type => {
      const format = type.slice(type.indexOf('/') + 1)
      return [format, `${format}s`, getUnit(type)?.symbol.toLowerCase()].some(
        name => name !== undefined && words.includes(name)
      )
    }) ?? getShownType(measure)
  )
}

/** Returns true if the values of a measure are single numbers. Ratings of mood do not count. */
export function isOfNumbers({ kind, types }: AnyMeasure): boolean {
  return (kind === 'level' || kind === 'sum') && types[0] !== 'mood/rating'
}

/** Returns true if a field holds a number, also as text. */
export function isNumber({ value }: BodyField): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[+-]?\d+(?:\.\d+)?$/.test(value))
}

/** Returns true if a field holds a time: a text such as `2026-11-26T08:02`, or (milli)seconds of this century. */
function isTime(field: BodyField): boolean {
  const { value } = field
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) return true
  if (!isNumber(field)) return false
  const number = Number(value)
  return [1, 1e3, 1e6, 1e9].some(factor => number >= 1e9 * factor && number < 4e9 * factor)
}

/** Returns the words of a name: those of “bodyWeight_kg” are three. */
function splitWords(name: string): readonly string[] {
  return foldText(name.slice(-200).replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
}
