/** Rows that hold a day alone, above rows that hold the time of the day: as in a diary. */
import { cellTime } from '../text/cell-times.js'
import { clockCell } from './time-columns.js'

type Cells = readonly string[]

/** Finds the column of days in a table that has such rows; `undefined` in others. */
export function findDayColumn(records: readonly Cells[]): number | undefined {
  for (const [at, row] of records.entries()) {
    const column = dayIn(row)
    if (column !== undefined && clockCell.test(records[at + 1]?.[column]?.trim() ?? '')) return column
  }
  return undefined
}

/** Returns a function that takes one row after the other, and returns it with the day before its time. */
export function dayJoiner(column: number): (cells: string[]) => string[] {
  let day: string | undefined
  return cells => {
    const cell = cells[column]?.trim() ?? ''
    if (clockCell.test(cell)) return day === undefined ? cells : cells.with(column, `${day} ${cell}`)
    // Times below a date of a form that is not known are of no day rather than of the one before.
    if (/\d/.test(cell)) day = dayIn(cells) === column ? cell : undefined
    return cells
  }
}

/** The column of the only cell of a row, if it is a date alone. */
function dayIn(cells: Cells): number | undefined {
  const filled = cells.flatMap((cell, at) => (cell.trim() === '' ? [] : [at]))
  const cell = filled.length === 1 ? cells[filled[0]!]!.trim() : ''
  return /\d/.test(cell) && !cell.includes(':') && !Number.isNaN(cellTime(cell, '00:01', 'dmy', undefined))
    ? filled[0]
    : undefined
}
