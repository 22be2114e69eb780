/** What is kept of a large chunk beside its rows, so that charts need not read them: extremes, counts and sums. */
import { measure, mergeMeasures, listExtremeRows, type Measure } from './measure.js'
import { formatRows, type Row } from './rows.js'

/** Chunks with fewer rows than this are small: they are merged with others, and have no summary. */
export const smallSize = 512
/** Rows of a part, which is measured by itself: of a chunk on a border little more than one is read row by row. */
export const partSize = 256

/** The summary of a chunk, as JSON. */
export interface Summary {
  /** The rows with the least and the greatest number of each column, by time. */
  readonly extremes: string
  /** A {@link Figures} for each column. */
  readonly measures: string
  /** A {@link PartFigures} for each part; `null` where rows cannot be found in the chunk's text by their times. */
  readonly parts: string | null
}

/** The numbers of a column: how many, their sum, the least and the greatest; 0 where there are none. */
export type Figures = readonly [count: number, sum: number, least: number, greatest: number] | 0

/** Where the text of a part begins in that of its chunk; then for each column {@link Figures}, of the extremes their times. */
export type PartFigures = readonly [start: number, ...columns: Figures[]]

/**
 * The text and the summary of a chunk's rows. There is no summary of few rows, or of numbers too large to be added up.
 */
export function summarizeRows(rows: readonly Row[]): { points: string; summary: Summary | null } {
  if (rows.length < smallSize) return { points: formatRows(rows), summary: null }
  const indexes = Array.from({ length: rows[0]!.length - 1 }, (_, index) => index + 1)
  let totals: (Measure | undefined)[] = []
  const parts: PartFigures[] = []
  let points = ''
  let isFindable = true
  for (let start = 0; start < rows.length; start += partSize) {
    const part = rows.slice(start, start + partSize)
    const text = formatRows(part)
    const measures = indexes.map(index => measure(part, index))
    isFindable &&=
      measures.every(measure => measure?.count === part.length) || hasNoOtherBrackets(text, part.length)
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

/** Whether nothing in the cells looks like the beginning of a row. */
function hasNoOtherBrackets(text: string, count: number): boolean {
  return text.split('[').length === count + 1
}

function toFigures(measure: Measure | undefined, index: number): Figures {
  return measure
    ? [measure.count, measure.sum, measure.least[index] as number, measure.greatest[index] as number]
    : 0
}

function toTimes(measure: Measure | undefined): Figures {
  return measure ? [measure.count, measure.sum, measure.least[0], measure.greatest[0]] : 0
}
