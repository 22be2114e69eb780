/** Describes tables of known apps and devices, and common columns. */
import type { Reason } from '../reasons.js'
import type { ColumnMapping } from '../record.js'

export interface Maker {
  readonly name: string
  /** Columns, in lower case, that together identify the table. */
  readonly has: readonly string[]
  /** Matches the file name, if the content is ambiguous. */
  readonly file?: RegExp
  /** Matches a line before the header. */
  readonly preface?: RegExp
  readonly time: string
  readonly clock?: string
  readonly end?: string
  readonly zone?: string
  readonly zoneColumn?: string
  readonly source?: string
  readonly description?: string
  readonly values: Readonly<Record<string, Value>>
  /** True if a zero means that nothing was measured. */
  readonly skipsZero?: boolean
  /** Reason to skip the whole table. */
  readonly leaves?: Reason
}

export type Value = Omit<ColumnMapping, 'column'>

/** Codes of a night. Its rows do not say that the user slept throughout; the hours have their own streams. */
export const night = { '*': { analysis: 'inBed' } }
export const rate = (part: string): Value => ({ type: 'frequency/bpm', stream: `Heart rate, ${part}` })
export const gram = (stream: string): Value => ({ type: 'mass/g', stream })
export const milligram = (stream: string): Value => ({ type: 'mass/mg', stream })
export const kilogram = (stream: string): Value => ({ type: 'mass/kg', stream })
export const centimetre = (stream: string): Value => ({ type: 'length/cm', stream })
export const percent = (stream: string): Value => ({ type: 'ratio/percent', stream })
export const minutes = (stream: string): Value => ({ type: 'time/min', stream })
export const note: Value = { type: 'note/txt', stream: 'Notes' }
export const energy: Value = { type: 'energy/kcal', stream: 'Energy' }
export const summary = 'a summary of records that are in the file themselves'
export const score = 'a score of its maker, which is no measurement'
