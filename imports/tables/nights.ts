/** Reads nights from tables: when they begin and end, and whether their hours of sleep fill them. */
import type { ColumnMapping } from '../record.js'
import { secondsByType } from '../text/units.js'
import { foldName } from './fold-name.js'
import { isDateAndTime, matchesMostCells, type SampleRows } from './time-columns.js'

/** Codes of a night. Its rows do not say that the user slept throughout; hours of sleep have their own streams. */
export const nightCodes = { '*': { analysis: 'inBed' } }

/** Names of columns with the beginnings and the ends of nights. */
const startNames =
  /^(?:sleep|night|(?:in )?bed) ?(?:start(?:ed)?|begin|onset|from)\b|^(?:start|beginning|onset) of (?:sleep|night)\b|^(?:bed ?time|(?:went|going|time) to bed|(?:fell|fall) asleep)\b|^(?:schlaf ?(?:beginn|start|von)|einschlafzeit|eingeschlafen|zu bett|bettzeit)\b|^(?:debut (?:du |de )?(?:sommeil|nuit)|endormissement|(?:heure (?:de |du )?)?coucher)\b/
const endNames =
  /^(?:sleep|night|(?:in )?bed) ?(?:end(?:ed)?|stop|until|to)\b|^end of (?:sleep|night)\b|^(?:wak(?:e|ing)|woke|got|get) ?up\b|^wake (?:time|onset)\b|^(?:schlaf ?(?:ende|bis)|aufwachzeit|aufgewacht|aufgestanden)\b|^(?:fin (?:du |de )?(?:sommeil|nuit)|(?:heure (?:de |du )?)?(?:reveil|lever))\b/
/**
 * Names of columns with hours of sleep. Other durations of sleep may be the time between the beginning and the end of
 * the night.
 */
const asleepNames =
  /^(?:(?:total|hours?|minutes?|time|duration|actual) )*(?:asleep|slept|of sleep)(?: (?:time|duration|hours?|minutes?))?$|^(?:stunden |minuten )?geschlafen$|^(?:heures|minutes) (?:de sommeil|dormies?)$/
/** Names of the stages that make up sleep. */
const stageNames = [/\bdeep\b|tief/, /\b(?:light|core)\b|leicht/, /\brem\b/]

/**
 * Finds the columns of the beginnings and the ends of nights, if the table has one column of each. Returns
 * `undefined` otherwise.
 */
export function findNightColumns(
  names: readonly string[],
  sample: SampleRows
): { readonly time: number; readonly end: number } | undefined {
  const find = (pattern: RegExp): number[] =>
    names.flatMap((name, at) =>
      pattern.test(name) && matchesMostCells(sample, at, isDateAndTime) ? [at] : []
    )
  const [[time, ...others], [end, ...otherEnds]] = [find(startNames), find(endNames)]
  const isUnique = others.length === 0 && otherEnds.length === 0
  return time !== undefined && end !== undefined && isUnique ? { time, end } : undefined
}

/** Returns the columns whose durations add up to the hours of sleep of a night; `undefined` if there are none. */
export function findAsleepColumns(values: readonly ColumnMapping[]): readonly ColumnMapping[] | undefined {
  const durations = values.filter(({ type }) => secondsByType[type] !== undefined)
  const find = (pattern: RegExp): ColumnMapping[] =>
    durations.filter(({ stream }) => pattern.test(foldName(stream)))
  const found = [asleepNames, ...stageNames].map(find)
  if (found[0]!.length === 1) return found[0]
  const stages = found.slice(1)
  return stages.every(({ length }) => length === 1) ? stages.flat() : undefined
}
