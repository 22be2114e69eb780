/** What is known of a maker's table, and what its columns often hold. */
import type { Reason } from '../reasons.js'
import type { ColumnMapping } from '../record.js'

export interface Maker {
  readonly name: string
  /** Columns that together no other table has, in small letters. */
  readonly has: readonly string[]
  /** What the file is called, where its content does not tell it. */
  readonly file?: RegExp
  /** What the first line tells that stands before the header. */
  readonly preface?: RegExp
  readonly time: string
  readonly clock?: string
  readonly end?: string
  readonly zone?: string
  readonly zoneColumn?: string
  readonly source?: string
  readonly description?: string
  readonly values: Readonly<Record<string, Value>>
  /** Whether a zero means that nothing was measured. */
  readonly skipsZero?: boolean
  /** Why nothing of it is brought in. */
  readonly leaves?: Reason
}

export type Value = Omit<ColumnMapping, 'column'>

/** A night as a whole, of which rows do not tell that somebody slept throughout: the hours have streams of their own. */
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
