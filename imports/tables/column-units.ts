/** Finds units in the names and cells of columns. */
import type { ColumnMapping } from '../record.js'
import { foldText } from './fold-name.js'
import { findMeasure, type UnitMeasure } from '../text/units.js'
import { splitUnit } from '../text/cell-numbers.js'

/** Units that are recognized at the end of a name without brackets. Any other ending may be an ordinary word. */
const trailingUnit =
  /(?:^|[\s,_/])(kgs?|lbs?|st|g|mg|km|m|mi|cm|mm|in|ft|kcal|k?j|cal|mph|bpm|ms|sec|percent|%|°?c|°?f|[a-z]{4,13}|[a-z0-9]{1,10}\/(?:min|h|s|dl|l|hr|kg)|[a-z]\/min)$/
/** Units that are also words. They count only if the name says what is measured. */
const ambiguousUnits =
  /^(?:st|m|mi|in|c|f|ft|j|std|seconde?|met(?:er|re)|foot|stone|once|unzen?|hour|heure|minute|step|inch|mile|yard|pound|zoll|pouce|kilo|lit(?:er|re)|day|tag|jour)$/
const bracketPattern = /[([{]([^()[\]{}]{1,40})[)\]}]/g

interface NamedUnit {
  readonly measure: UnitMeasure
  /** Name without its unit. */
  readonly nameWithoutUnit: string
}

/**
 * Finds the unit in the name of a column: `Weight (kg)`, `glucose [mg/dL]`, `weight grams`, `Gewicht in kg`;
 * returns `unknown` if the name has a unit without a type. `unitTypes`: the types of possible units, if
 * known; if these include no type of time, `min` means "minimum". Returns `undefined` if it has no unit.
 */
export function findUnitInName(
  name: string,
  unitTypes: readonly string[] | undefined
): NamedUnit | 'unknown' | undefined {
  const text = name.slice(0, 200).trim()
  const isMinimum = unitTypes !== undefined && !unitTypes.some(type => type.startsWith('time/'))
  const found = [...text.matchAll(bracketPattern)].toReversed()
  for (const match of found) {
    const unit = match[1]!.trim()
    if (/^min$/i.test(unit) && (isMinimum || found.length > 1 || /[%/°]/.test(text))) continue
    const measure = findMeasure(unit)
    if (!measure) continue
    if (isAmbiguousUnit(unit, measure, unitTypes)) return 'unknown'
    return { measure, nameWithoutUnit: text.replace(match[0], ' ').trim() }
  }
  if (found.some(match => /[/°²‰]|\b(?:per|pro|par)\b/.test(match[1]!))) return 'unknown'
  const folded = foldText(text)
  const rate = /(?:^| )([a-z]{2,13} (?:per|pro|par) [a-z]{3,13})$/.exec(folded)?.[1]
  if (rate !== undefined) {
    const measure = findMeasure(rate)
    return measure ? { measure, nameWithoutUnit: text.slice(0, -rate.length).trim() } : 'unknown'
  }
  const leading = /^(minutes|hours|seconds|minuten|stunden|sekunden|heures|secondes) \p{L}/u.exec(folded)?.[1]
  if (leading !== undefined) return { measure: findMeasure(leading)!, nameWithoutUnit: text }
  const length = trailingUnit.exec(folded)?.[1]?.length ?? 0
  const word = length === 0 ? '' : text.slice(-length)
  if (isMinimum && /^min$/i.test(word)) return undefined
  const measure = word === '' ? undefined : findMeasure(word)
  if (!measure) return /[/°²‰]/.test(word) ? 'unknown' : undefined
  const rest = trimBeforeUnit(text.slice(0, -length))
  if (rest === '') return undefined
  if (isCalorie(word)) return 'unknown'
  if (unitTypes?.includes(measure.type) || !ambiguousUnits.test(foldText(word)))
    return { measure, nameWithoutUnit: rest }
  return unitTypes === undefined ? undefined : 'unknown'
}

/** Returns true if text in brackets may not be a unit: `(M)`, `(F)`, `(std)`. */
function isAmbiguousUnit(unit: string, { type }: UnitMeasure, takes: readonly string[] | undefined): boolean {
  if (isCalorie(unit) || unit === 'Min') return true
  if (takes?.includes(type)) return false
  if (/^(?:[cf]|cel|std)$/i.test(unit)) return takes !== undefined || !/^std$/i.test(unit)
  return unit.length === 1 && /[a-z]/i.test(unit) && (takes !== undefined || /[^a-zWVJL]/.test(unit))
}

/** Returns true for `cal`, which usually means kilocalories. */
function isCalorie(unit: string): boolean {
  return unit === 'cal' || unit === 'CAL'
}

/** Removes separators and prepositions before a unit. */
function trimBeforeUnit(name: string): string {
  const words = name.split(/[\s_,/-]/).filter(Boolean)
  if (/^(?:in|en|i|w)$/i.test(words.at(-1) ?? '')) words.pop()
  return words.join(' ')
}

/** Returns the texts in brackets of a name, in lower case without accents. */
export function getBracketTexts(name: string): string[] {
  return [...name.slice(0, 200).matchAll(bracketPattern)].map(match => foldText(match[1]!.trim()))
}

/**
 * Returns the measure that more than half of the cells name. Single letters may be markers, such as `105 H`,
 * unless the measure has such a unit. Returns `undefined` if there is no such measure.
 */
export function findUnitInCells(
  cells: readonly string[],
  unitTypes: readonly string[] | undefined
): UnitMeasure | undefined {
  const counts = new Map<string, number>()
  for (const cell of cells) {
    const found = splitUnit(cell)
    if (!found) continue
    const { measure, unit } = found
    if (unit.length === 1 && !/[%g]/.test(unit) && !unitTypes?.includes(measure.type)) continue
    const count = (counts.get(measure.type) ?? 0) + 1
    counts.set(measure.type, count)
    if (count * 2 > cells.length) return measure
  }
  return undefined
}

/** Returns the type of a value whose cell has its own unit; `undefined` if it measures
 * something other than its column. */
export function convertMeasure(
  { factor, field, type }: ColumnMapping,
  measure: UnitMeasure
): { readonly type: string; readonly factor?: number | undefined } | undefined {
  const [columnQuantity] = type.split('/')
  const [cellQuantity] = measure.type.split('/')
  if (field !== undefined)
    return measure.type === 'pressure/mmhg' || measure.type === 'frequency/bpm' ? { type, factor } : undefined
  if (measure.type === type) return measure
  if (type === 'count/steps' && measure.type === 'count/generic') return { type }
  if (type === 'frequency/brpm') return cellQuantity === 'frequency' ? { type } : undefined
  return cellQuantity === columnQuantity && cellQuantity !== 'count' ? measure : undefined
}
