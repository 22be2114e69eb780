/** Finds units in the names and cells of columns. */
import { fold } from './names.js'
import { measureOf, type Measure } from '../text/units.js'
import { splitUnit } from '../text/cells.js'

/** Units that names may end with outside of brackets; others may be words. */
const trailing =
  /(?:^|[\s,_/])(kgs?|lbs?|st|g|mg|km|m|mi|cm|mm|in|ft|kcal|kj|cal|mg\/dl|mmol\/l|km\/h|km\/hr|mph|bpm|ms|sec|percent|%|°?c|°?f|[a-z]{4,13})$/
const bracketed = /[([{]([^()[\]{}]{1,40})[)\]}]/g

export interface NamedUnit {
  readonly measure: Measure
  /** The name without its unit. */
  readonly rest: string
}

/**
 * Finds the unit in the name of a column: `Weight (kg)`, `glucose [mg/dL]`, `weight grams`, `Gewicht in kg`; `unknown` where one
 * is named that has no type. `isMinimum`: `min` is none of time.
 */
export function unitInName(name: string, isMinimum: boolean): NamedUnit | 'unknown' | undefined {
  const text = name.slice(0, 200).trim()
  const found = [...text.matchAll(bracketed)].toReversed()
  for (const match of found) {
    const unit = match[1]!.trim()
    if (isMinimum && /^min$/i.test(unit)) continue
    const measure = measureOf(unit)
    if (measure) return { measure, rest: text.replace(match[0], ' ').trim() }
  }
  if (found.some(match => /[/°²]|\b(?:per|pro|par)\b/.test(match[1]!))) return 'unknown'
  const folded = fold(text)
  const rate = /(?:^| )([a-z]{2,13} (?:per|pro|par) [a-z]{3,13})$/.exec(folded)?.[1]
  if (rate !== undefined) {
    const measure = measureOf(rate)
    return measure ? { measure, rest: text.slice(0, -rate.length).trim() } : 'unknown'
  }
  const word = trailing.exec(folded)?.[1]
  const measure = word === undefined ? undefined : measureOf(word)
  const rest = word === undefined ? '' : withoutEnd(text.slice(0, -word.length))
  return measure && rest !== '' ? { measure, rest } : undefined
}

/** Returns a name without what leads over to its unit. */
function withoutEnd(name: string): string {
  const words = name.split(/[\s_,/-]/).filter(Boolean)
  if (/^(?:in|en)$/i.test(words.at(-1) ?? '')) words.pop()
  return words.join(' ')
}

/** Returns what stands in brackets of a name, in small letters without accents. */
export function bracketsIn(name: string): string[] {
  return [...name.slice(0, 200).matchAll(bracketed)].map(match => fold(match[1]!.trim()))
}

/** Returns the measure that more than half of the cells name. */
export function unitInCells(cells: readonly string[]): Measure | undefined {
  const counts = new Map<string, number>()
  for (const cell of cells) {
    const measure = splitUnit(cell)?.measure
    if (!measure) continue
    const count = (counts.get(measure.type) ?? 0) + 1
    counts.set(measure.type, count)
    if (count * 2 > cells.length) return measure
  }
  return undefined
}
