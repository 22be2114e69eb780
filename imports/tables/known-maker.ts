/** Describes tables of known apps and devices, and common columns. */
import type { SkipReason } from '../skip-reasons.js'
import type { ColumnMapping } from '../record.js'

export interface KnownMaker {
  readonly name: string
  /** Columns, in lower case, that together identify the table. */
  readonly columns: readonly string[]
  /** Matches the file name, if the content is ambiguous. */
  readonly file?: RegExp
  /** Matches a line before the header. */
  readonly preface?: RegExp
  /** Names of the columns with the time, the time of day, the end and so on; `zone` is the zone itself. */
  readonly time: string
  readonly clock?: string
  readonly end?: string
  readonly zone?: string
  readonly zoneColumn?: string
  readonly source?: string
  readonly description?: string
  /** What the other columns contain, by their names in lower case. */
  readonly values: Readonly<Record<string, ValueMapping>>
  /** True if a zero means that nothing was measured. */
  readonly skipsZero?: boolean
  /** Reason to skip the whole table. */
  readonly skipReason?: SkipReason
}

export type ValueMapping = Omit<ColumnMapping, 'column'>

/** Mapping of a heart rate in beats per minute; `part` completes the name of its stream. */
export const heartRate = (part: string): ValueMapping => ({
  type: 'frequency/bpm',
  stream: `Heart rate, ${part}`
})
/** Mappings of numbers in the unit of their name to a stream. */
export const grams = (stream: string): ValueMapping => ({ type: 'mass/g', stream })
export const milligrams = (stream: string): ValueMapping => ({ type: 'mass/mg', stream })
export const kilograms = (stream: string): ValueMapping => ({ type: 'mass/kg', stream })
export const centimetres = (stream: string): ValueMapping => ({ type: 'length/cm', stream })
export const percent = (stream: string): ValueMapping => ({ type: 'ratio/percent', stream })
export const minutes = (stream: string): ValueMapping => ({ type: 'time/min', stream })
export const noteValue: ValueMapping = { type: 'note/txt', stream: 'Notes' }
export const energyValue: ValueMapping = { type: 'energy/kcal', stream: 'Energy' }
export const summaryReason = 'a summary of records that are in the file themselves'
export const scoreReason = 'a score of its maker, which is no measurement'
