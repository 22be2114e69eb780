/** Defines the source of a table's rows. */
import type { ReadContext, Sink } from '../record.js'
import type { NumberFlags } from '../text/notation-detector.js'

/** Receives a row: its cells, its number in the file, and which cells are numbers, if the file format defines that. */
export type OnRow = (cells: string[], at?: number, numbers?: NumberFlags) => void

/** Selects what a pass over the rows returns. */
export interface RowSelection {
  /** Columns of which one cell may apply to several rows: the columns of times and names. */
  readonly sharedColumns: ReadonlySet<number | undefined>
  /** Returns true if the next row is a record of the table. */
  readonly isRecord: () => boolean
  /** Returns true if no further row is needed. */
  readonly isEnough: () => boolean
}

export interface TableSource {
  /** Name of the file or sheet. */
  readonly name: string
  readonly sink: Sink
  readonly context: ReadContext
  /** True if cells have explicit columns, so that the number of cells of a row does not matter. */
  readonly hasExplicitColumns: boolean
  /** Calls `onRow` with all rows from the first; returns the number of rows with an unclosed quote. */
  readonly readRows: (wanted: RowSelection, sink: Pick<Sink, 'skip'>, onRow: OnRow) => Promise<number>
}
