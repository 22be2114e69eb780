/** Finds units in the names and cells of columns. */
import type { ColumnMapping } from '../record.js'
import { fold } from './names.js'
import { measureOf, type Measure } from '../text/units.js'
import { splitUnit } from '../text/cells.js'

/** Units that names may end with outside of brackets; others may be words. */
const trailing =
  /(?:^|[\s,_/])(kgs?|lbs?|st|g|mg|km|m|mi|cm|mm|in|ft|kcal|k?j|cal|mph|bpm|ms|sec|percent|%|°?c|°?f|[a-z]{4,13}|[a-z0-9]{1,10}\/(?:min|h|s|dl|l|hr|kg)|[a-z]\/min)$/
/** Units that are also words, names of parts and of things: they count where the name tells of what they measure. */
const ambiguous =
  /^(?:st|m|mi|in|c|f|ft|j|std|seconde?|met(?:er|re)|foot|stone|once|unzen?|hour|heure|minute|step|inch|mile|yard|pound|zoll|pouce|kilo|lit(?:er|re)|day|tag|jour)$/
const bracketed = /[([{]([^()[\]{}]{1,40})[)\]}]/g

export interface NamedUnit {
  readonly measure: Measure
  /** The name without its unit. */
  readonly rest: string
}

/**
 * Finds the unit in the name of a column: `Weight (kg)`, `glucose [mg/dL]`, `weight grams`, `Gewicht in kg`; `unknown` where one
 * is named that has no type. `takes`: types of units that what is measured has, as far as that is known; `min` is a unit of time only
 * for these.
 */
export function unitInName(
  name: string,
  takes: readonly string[] | undefined
): NamedUnit | 'unknown' | undefined {
  const text = name.slice(0, 200).trim()
  const isMinimum = takes !== undefined && !takes.some(type => type.startsWith('time/'))
  const found = [...text.matchAll(bracketed)].toReversed()
  for (const match of found) {
    const unit = match[1]!.trim()
    if (/^min$/i.test(unit) && (isMinimum || found.length > 1 || /[%/°]/.test(text))) continue
    const measure = measureOf(unit)
    if (!measure) continue
    if (isDoubtful(unit, measure, takes)) return 'unknown'
    return { measure, rest: text.replace(match[0], ' ').trim() }
  }
  if (found.some(match => /[/°²‰]|\b(?:per|pro|par)\b/.test(match[1]!))) return 'unknown'
  const folded = fold(text)
  const rate = /(?:^| )([a-z]{2,13} (?:per|pro|par) [a-z]{3,13})$/.exec(folded)?.[1]
  if (rate !== undefined) {
    const measure = measureOf(rate)
    return measure ? { measure, rest: text.slice(0, -rate.length).trim() } : 'unknown'
  }
  const leading = /^(minutes|hours|seconds|minuten|stunden|sekunden|heures|secondes) \p{L}/u.exec(folded)?.[1]
  if (leading !== undefined) return { measure: measureOf(leading)!, rest: text }
  const length = trailing.exec(folded)?.[1]?.length ?? 0
  const word = length === 0 ? '' : text.slice(-length)
  if (isMinimum && /^min$/i.test(word)) return undefined
  const measure = word === '' ? undefined : measureOf(word)
  if (!measure) return /[/°²‰]/.test(word) ? 'unknown' : undefined
  const rest = withoutEnd(text.slice(0, -length))
  if (rest === '') return undefined
  if (isCalorie(word)) return 'unknown'
  if (takes?.includes(measure.type) || !ambiguous.test(fold(word))) return { measure, rest }
  return takes === undefined ? undefined : 'unknown'
}

/** Whether a unit in brackets may be something else: `(M)`, `(F)`, `(std)`. */
function isDoubtful(unit: string, { type }: Measure, takes: readonly string[] | undefined): boolean {
  if (isCalorie(unit) || unit === 'Min') return true
  if (takes?.includes(type)) return false
  if (/^(?:[cf]|cel|std)$/i.test(unit)) return takes !== undefined || !/^std$/i.test(unit)
  return unit.length === 1 && /[a-z]/i.test(unit) && (takes !== undefined || /[^a-zWVJL]/.test(unit))
}

/** `cal` means a thousand of them most often. */
function isCalorie(unit: string): boolean {
  return unit === 'cal' || unit === 'CAL'
}

/** Returns a name without what leads over to its unit. */
function withoutEnd(name: string): string {
  const words = name.split(/[\s_,/-]/).filter(Boolean)
  if (/^(?:in|en|i|w)$/i.test(words.at(-1) ?? '')) words.pop()
  return words.join(' ')
}

/** Returns what stands in brackets of a name, in small letters without accents. */
export function bracketsIn(name: string): string[] {
  return [...name.slice(0, 200).matchAll(bracketed)].map(match => fold(match[1]!.trim()))
}

/** Returns the measure that more than half of the cells name. Letters alone may be marks, such as `105 H`, unless they are units of what is measured. */
export function unitInCells(
  cells: readonly string[],
  takes: readonly string[] | undefined
): Measure | undefined {
  const counts = new Map<string, number>()
  for (const cell of cells) {
    const found = splitUnit(cell)
    if (!found) continue
    const { measure, unit } = found
    if (unit.length === 1 && !/[%g]/.test(unit) && !takes?.includes(measure.type)) continue
    const count = (counts.get(measure.type) ?? 0) + 1
    counts.set(measure.type, count)
    if (count * 2 > cells.length) return measure
  }
  return undefined
}

/** The type of a value with a unit of its own, in a column of another one; `undefined` where that is another measure. */
export function measureIn(
  { factor, field, type }: ColumnMapping,
  measure: Measure
): { readonly type: string; readonly factor?: number | undefined } | undefined {
  const [ofColumn] = type.split('/')
  const [ofCell] = measure.type.split('/')
  if (field !== undefined)
    return measure.type === 'pressure/mmhg' || measure.type === 'frequency/bpm' ? { type, factor } : undefined
  if (measure.type === type) return measure
  if (type === 'count/steps' && measure.type === 'count/generic') return { type }
  if (type === 'frequency/brpm') return ofCell === 'frequency' ? { type } : undefined
  return ofCell === ofColumn && ofCell !== 'count' ? measure : undefined
}
