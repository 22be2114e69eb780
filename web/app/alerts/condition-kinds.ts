/** What an alert can be about: the fields of each kind, and the condition that they describe. (docs/api/rules.md#conditions) */
import type { Values } from '../../parts/form.js'
import type { AnyMeasure } from '../data/measures.js'
import type { Condition } from './rules.js'

/** A field of the form. It has the name of the member that it sets. */
export interface ConditionField {
  readonly name:
    | 'anyOf'
    | 'atLeast'
    | 'atMost'
    | 'by'
    | 'direction'
    | 'for'
    | 'range'
    | 'value'
    | 'within'
    | Place
  readonly input: 'choice' | 'number' | 'time' | 'words'
  /** The number is one of the measure, and has its unit. */
  readonly isOfMeasure?: boolean
  /** What the member has per unit of the field: 60 for minutes. */
  readonly factor?: 1 | 60 | 3600
  readonly options?: readonly Option[]
  readonly isOptional?: boolean
  readonly initial?: string
}

type Place = 'latitude' | 'longitude' | 'radius'
type Option = 'down' | 'enters' | 'leaves' | 'plausible' | 'up' | 'usual'

interface ConditionKind {
  readonly kind: string
  /** Which measures it can be about; absent if it is about none. */
  readonly about?: 'any' | 'number' | 'sum'
  /** Members that name where data comes from, or who reads; the first one is offered first. */
  readonly senders?: readonly Sender[]
  /** Whether it can be about any sender. */
  readonly isAnySender?: boolean
  readonly fields: readonly ConditionField[]
}

export type Sender = 'accessId' | 'connectionId' | 'streamId'

const number = { input: 'number', isOfMeasure: true } as const
const minutes = { name: 'for', input: 'number', factor: 60, isOptional: true } as const
const hours = { name: 'for', input: 'number', factor: 3600, initial: '24' } as const
const clock = { name: 'by', input: 'time', initial: '20:00' } as const
const threshold = [{ name: 'value', ...number }, minutes] as const

/** The kinds in the order in which they are offered. */
const conditionKinds = {
  above: { kind: 'above', about: 'number', fields: threshold },
  below: { kind: 'below', about: 'number', fields: threshold },
  outside: {
    kind: 'outside',
    about: 'number',
    fields: [{ name: 'range', input: 'choice', options: ['usual', 'plausible'] }, minutes]
  },
  changing: {
    kind: 'changing',
    about: 'number',
    fields: [
      { name: 'direction', input: 'choice', options: ['up', 'down'] },
      { name: 'by', ...number },
      { name: 'within', input: 'number', factor: 60, initial: '60' }
    ]
  },
  total: { kind: 'total', about: 'sum', fields: [{ name: 'atLeast', ...number }, clock] },
  most: { kind: 'total', about: 'sum', fields: [{ name: 'atMost', ...number }, clock] },
  missing: { kind: 'missing', about: 'any', fields: [hours] },
  silent: { kind: 'missing', senders: ['connectionId', 'streamId'], fields: [hours] },
  arrived: { kind: 'arrived', senders: ['connectionId', 'accessId'], fields: [] },
  place: {
    kind: 'place',
    fields: [
      { name: 'direction', input: 'choice', options: ['enters', 'leaves'] },
      { name: 'latitude', input: 'number' },
      { name: 'longitude', input: 'number' },
      { name: 'radius', input: 'number', initial: '100' }
    ]
  },
  words: { kind: 'words', fields: [{ name: 'anyOf', input: 'words' }] },
  looked: { kind: 'looked', senders: ['accessId'], isAnySender: true, fields: [] }
} as const satisfies Readonly<Record<string, ConditionKind>>

export type KindName = keyof typeof conditionKinds
export const kindNames = Object.keys(conditionKinds) as KindName[]

/** Returns what is known of a kind. */
export function getKind(name: KindName): ConditionKind {
  return conditionKinds[name]
}

/**
 * Returns the kind of a condition; undefined if the form cannot show it, for example one that this version
 * does not know.
 */
export function findKind(condition: Condition): KindName | undefined {
  const members = Object.keys(condition)
  return kindNames.find(name => {
    const { about, fields, isAnySender, kind, senders } = getKind(name)
    return (
      kind === condition.kind &&
      (about !== undefined) === members.includes('measure') &&
      fields.every(field => field.isOptional || members.includes(field.name)) &&
      (!senders || isAnySender || senders.some(sender => members.includes(sender)))
    )
  })
}

/** Returns whether a kind can be about the data of chosen streams. */
export function hasStreams(name: KindName): boolean {
  return name === 'words' || getKind(name).about !== undefined
}

/** Returns the stream of a copy that a condition is about. */
export function findCopy(condition: Condition | undefined): string | undefined {
  return condition?.streamIds?.find(id => id.startsWith(':_followed:'))
}

/** Returns whether a kind can be about a measure. */
export function isOffered({ kind: form }: AnyMeasure, name: KindName): boolean {
  const { about } = getKind(name)
  if (about === 'sum') return form === 'sum'
  return about === 'any' || form === 'level' || form === 'pair'
}

/** Returns whether the account has what a kind is about. */
export function isPossible(measures: readonly AnyMeasure[], name: KindName): boolean {
  return getKind(name).about === undefined || measures.some(measure => isOffered(measure, name))
}

/**
 * Returns the text with which a field begins: its value in the condition in the unit of the field, or its
 * initial text.
 */
export function getFieldText(
  { factor = 1, initial = '', name }: ConditionField,
  condition?: Condition
): string {
  const value = condition?.[name]
  if (value === undefined) return initial
  if (typeof value === 'number') return String(value / factor)
  return typeof value === 'string' ? value : value.join(', ')
}

interface Chosen {
  readonly name: KindName
  readonly measure: AnyMeasure | undefined
  /** The event type of numbers. */
  readonly unit: string | undefined
  /** The condition before it is changed. */
  readonly before: Condition | undefined
  /** A stream of the copy that it is about; undefined for the user's own data. */
  readonly of: string | undefined
}

/** Returns the condition that a form describes. Members that it does not show stay, where they still apply. */
export function readCondition(values: Values, { before, measure, name, of, unit }: Chosen): Condition {
  const { about, fields, kind, senders } = getKind(name)
  const given = fields.flatMap(field => {
    const value = readField(field, values[field.name] ?? '')
    return value === undefined ? [] : [[field.name, value] as const]
  })
  const sender = values['sender'] ?? ''
  const at = sender.indexOf(':')
  const condition: Condition = {
    kind,
    ...(about !== undefined && measure && { measure: measure.id }),
    ...(fields.some(field => field.isOfMeasure) && unit !== undefined && { unit }),
    ...(senders && at > 0 && { [sender.slice(0, at)]: sender.slice(at + 1) }),
    ...(hasStreams(name) && of !== undefined && { streamIds: [of] }),
    ...Object.fromEntries(given)
  }
  const isSame = before?.kind === kind && before.measure === condition.measure
  if (!isSame) return condition
  const { recoverAt, streamIds } = before
  return {
    ...condition,
    ...(recoverAt !== undefined && before.value === condition.value && { recoverAt }),
    ...(streamIds && findCopy(before) === of && { streamIds })
  }
}

/** Returns the value of a field as conditions store it; `undefined` for an empty number. */
function readField(
  { factor = 1, input }: ConditionField,
  text: string
): number | string | string[] | undefined {
  if (input === 'words')
    return text
      .split(',')
      .map(word => word.trim())
      .filter(word => word !== '')
  if (input !== 'number') return text
  if (text === '' || (factor > 1 && Number(text) === 0)) return undefined
  return factor === 1 ? Number(text) : Math.round(Number(text) * factor)
}
