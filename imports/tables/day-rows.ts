/** Joins rows that only contain a date with the rows of times below them, as in a diary. */
import { parseCellTime } from '../text/cell-times.js'
import { clockCell } from './time-columns.js'

type Cells = readonly string[]

/** Finds the column of dates in a table with rows that only contain a date; returns `undefined` for other tables. */
export function findDayColumn(records: readonly Cells[]): number | undefined {
  for (const [index, row] of records.entries()) {
    const column = findDay(row)
    if (column !== undefined && clockCell.test(records[index + 1]?.[column]?.trim() ?? '')) return column
  }
  return undefined
}

/** Returns a function that receives each row in order, and returns it with the date before its time. */
export function createDayJoiner(column: number): (cells: string[]) => string[] {
  let day: string | undefined
  return cells => {
    const cell = cells[column]?.trim() ?? ''
    if (clockCell.test(cell)) return day === undefined ? cells : cells.with(column, `${day} ${cell}`)
    // Times below an unreadable date have no date, rather than the previous one.
    if (/\d/.test(cell)) day = findDay(cells) === column ? cell : undefined
    return cells
  }
}

/** Returns the column of a row's only cell if it is a date. */
function findDay(cells: Cells): number | undefined {
  const filledColumns = cells.flatMap((cell, index) => (cell.trim() === '' ? [] : [index]))
  const cell = filledColumns.length === 1 ? cells[filledColumns[0]!]!.trim() : ''
  return /\d/.test(cell) &&
    !cell.includes(':') &&
    !Number.isNaN(parseCellTime(cell, '00:01', 'dmy', undefined))
    ? filledColumns[0]
    : undefined
}
