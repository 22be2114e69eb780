/** The summary stored with a large chunk, so that charts need not read its rows: extremes, counts and sums. */
import { measureCell, mergeMeasures, listExtremeRows, type Measure } from './measure.js'
import { formatRows, type Row } from './rows.js'

/** Chunks with fewer rows are small: they are merged with others, and have no summary. */
export const minLargeRows = 512
/** Rows per part, each with its own figures: at the edge of a range little more than one part is read row by row. */
export const partSize = 256

/** The summary of a chunk, as JSON. */
export interface Summary {
  /** The rows with the least and the greatest number of each column, by time. */
  readonly extremes: string
  /** A {@link Figures} for each column. */
  readonly measures: string
  /** {@link PartFigures} for each part; `null` if rows cannot be located in the chunk's text by their times. */
  readonly parts: string | null
}

/**
 * The numbers of a column: their count and sum, the least and the greatest; 0 in place of all of these if the column
 * has no numbers.
 */
export type Figures = readonly [count: number, sum: number, least: number, greatest: number] | 0

/** Figures of a part of a chunk: first where the part begins in the text of the chunk, then {@link Figures} for each column. */
export type PartFigures = readonly [start: number, ...columns: Figures[]]

/** Builds the text and the summary of a chunk's rows. There is no summary for few rows, or if sums overflow. */
export function summarizeRows(rows: readonly Row[]): { points: string; summary: Summary | null } {
  if (rows.length < minLargeRows) return { points: formatRows(rows), summary: null }
  const indexes = Array.from({ length: rows[0]!.length - 1 }, (_, index) => index + 1)
  let totals: (Measure | undefined)[] = []
  const parts: PartFigures[] = []
  let points = ''
  let isFindable = true
  for (let start = 0; start < rows.length; start += partSize) {
    const part = rows.slice(start, start + partSize)
    const text = formatRows(part)
    const measures = indexes.map(index => measureCell(part, index))
    isFindable &&=
      measures.every(each => each?.count === part.length) || hasNoOtherBrackets(text, part.length)
    parts.push([start === 0 ? 0 : points.length + 1, ...measures.map(toTimes)])
    totals =
      start === 0 ? measures : totals.map((total, index) => mergeMeasures(total, measures[index], index + 1))
    points += start === 0 ? text : `,${text}`
  }
  if (totals.some(total => total && !Number.isFinite(total.sum))) return { points, summary: null }
  const summary = {
    extremes: JSON.stringify(listExtremeRows(totals, rows[0]!)),
    measures: JSON.stringify(totals.map((total, index) => toFigures(total, index + 1))),
    parts: isFindable ? JSON.stringify(parts) : null
  }
  return { points, summary }
}

/** Merges the figures of each column; lists may be shorter, of rows that had fewer columns. */
export function mergeFigures(lists: readonly (readonly Figures[])[]): Figures[] {
  const merged: Figures[] = []
  for (const figures of lists)
    for (const [column, each] of figures.entries()) {
      const known = merged[column] ?? 0
      if (each === 0 || known === 0) merged[column] = each === 0 ? known : each
      else {
        const [count, sum, least, greatest] = known
        merged[column] = [
          count + each[0],
          sum + each[1],
          Math.min(least, each[2]),
          Math.max(greatest, each[3])
        ]
      }
    }
  return merged
}

/** Returns whether no cell contains what looks like the start of a row. */
function hasNoOtherBrackets(text: string, count: number): boolean {
  return text.split('[').length === count + 1
}

function toFigures(found: Measure | undefined, index: number): Figures {
  return found ? [found.count, found.sum, found.least[index] as number, found.greatest[index] as number] : 0
}

function toTimes(found: Measure | undefined): Figures {
  return found ? [found.count, found.sum, found.least[0], found.greatest[0]] : 0
}
