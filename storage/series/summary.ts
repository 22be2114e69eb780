/** What is kept of a large chunk beside its rows, so that charts need not read them: extremes, counts and sums. */
import { measure, measuredTogether, standingOut, type Measure } from './measure.js'
import { pointsText, type Row } from './rows.js'

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
export function summarized(rows: readonly Row[]): { points: string; summary: Summary | null } {
  if (rows.length < smallSize) return { points: pointsText(rows), summary: null }
  const places = Array.from({ length: rows[0]!.length - 1 }, (_, index) => index + 1)
  let totals: (Measure | undefined)[] = []
  const parts: PartFigures[] = []
  let points = ''
  let isFindable = true
  for (let at = 0; at < rows.length; at += partSize) {
    const part = rows.slice(at, at + partSize)
    const text = pointsText(part)
    const measures = places.map(place => measure(part, place))
    isFindable &&= measures.every(found => found?.count === part.length) || isFound(text, part.length)
    parts.push([at === 0 ? 0 : points.length + 1, ...measures.map(timesOf)])
    totals =
      at === 0 ? measures : totals.map((total, index) => measuredTogether(total, measures[index], index + 1))
    points += at === 0 ? text : `,${text}`
  }
  if (totals.some(total => total && !Number.isFinite(total.sum))) return { points, summary: null }
  const summary = {
    extremes: JSON.stringify(standingOut(totals, rows[0]!)),
    measures: JSON.stringify(totals.map((total, index) => figuresOf(total, index + 1))),
    parts: isFindable ? JSON.stringify(parts) : null
  }
  return { points, summary }
}

/** Whether nothing in the cells looks like the beginning of a row. */
function isFound(text: string, count: number): boolean {
  return text.split('[').length === count + 1
}

function figuresOf(found: Measure | undefined, place: number): Figures {
  return found ? [found.count, found.sum, found.least[place] as number, found.greatest[place] as number] : 0
}

function timesOf(found: Measure | undefined): Figures {
  return found ? [found.count, found.sum, found.least[0], found.greatest[0]] : 0
}
