/** Where the rows of a table come from. */
import type { Context, Sink } from '../record.js'
import type { Numbers } from '../text/survey.js'

/** Takes a row: its cells, its number in the file, and the cells that are numbers, where the file itself tells these. */
export type OnRow = (cells: string[], at?: number, numbers?: Numbers) => void

/** What a reading of rows is to give. */
export interface Wanted {
  /** Columns of which one cell may stand for several rows: those of times and names. */
  readonly shared: ReadonlySet<number | undefined>
  /** Whether the next row is a record of the table. */
  readonly isRecord: () => boolean
  /** Whether no further row is needed. */
  readonly isEnough: () => boolean
}

export interface TableReading {
  /** What the file or the sheet is called. */
  readonly name: string
  readonly sink: Sink
  readonly context: Context
  /** Whether a cell belongs to the column above it, however many there are in its row. */
  readonly isPlaced: boolean
  /** Gives out all rows from the first. Returns how many have had an unclosed quote. */
  readonly eachRow: (wanted: Wanted, sink: Pick<Sink, 'drained' | 'leftOut'>, onRow: OnRow) => Promise<number>
}
