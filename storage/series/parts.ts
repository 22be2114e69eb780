/** The parts of a chunk that has a summary: located in its text, and read by their figures or row by row. */
import { partSize, type Figures, type PartFigures } from './summary.js'
import type { Chunk } from './chunks.js'
import { parseRows, parseTime, type Row } from './rows.js'

/** Aggregates of consecutive rows. */
export interface Block {
  readonly count: number
  /** The rows with extreme values, by time. */
  readonly extremes: () => readonly Row[]
  /** {@link Figures} of each column. */
  readonly measures: () => readonly Figures[]
}

/** Some rows of a chunk. */
export interface Part {
  readonly first: number
  /** The first time of the next part; for the last part the time of its last row. */
  readonly end: number
  readonly isLast: boolean
  readonly rows: () => Row[]
  readonly block: Block | undefined
}

type Measured = Pick<Chunk, 'count' | 'first' | 'last' | 'points'>

/** Splits a chunk into parts; a single one if `parts` (see storage/series/summary.ts) is `null`. */
export function splitIntoParts({ count, first, last, points }: Measured, parts: string | null): Part[] {
  if (parts === null)
    return [{ first, end: last, isLast: true, rows: () => parseRows(points), block: undefined }]
  const figures = JSON.parse(parts) as PartFigures[]
  const texts = figures.map(([start], index) => {
    const next = figures[index + 1]
    return points.slice(start, next ? next[0] - 1 : undefined)
  })
  const firsts = texts.map(text => parseTime(text.slice(1, maxNumberLength)))
  return texts.map((text, index) => {
    const isLast = index === texts.length - 1
    const [, ...columns] = figures[index]!
    return {
      first: firsts[index]!,
      end: isLast ? last : firsts[index + 1]!,
      isLast,
      rows: () => parseRows(text),
      block: createBlock(text, isLast ? count - index * partSize : partSize, columns)
    }
  })
}

/** Upper bound of the length of a number, in characters. */
const maxNumberLength = 32

/** Creates the block of a part of a chunk from its figures. Rows are parsed on demand. */
function createBlock(text: string, count: number, columns: readonly Figures[]): Block {
  const parseAt = (time: number): Row => parseRowAt(text, time)
  return {
    count,
    extremes() {
      const times = new Set(columns.flatMap(figures => (figures === 0 ? [] : [figures[2], figures[3]])))
      if (times.size === 0) times.add(parseTime(text.slice(1, maxNumberLength)))
      return [...times].toSorted((a, b) => a - b).map(parseAt)
    },
    measures: () =>
      columns.map((figures, index) => {
        if (figures === 0) return 0
        const [numbers, sum, least, greatest] = figures
        return [numbers, sum, parseNumberAt(text, least, index), parseNumberAt(text, greatest, index)]
      })
  }
}

/** Parses the row with a time that exists. */
function parseRowAt(text: string, time: number): Row {
  const start = Math.max(0, text.indexOf(`[${time},`))
  const end = text.indexOf('],[', start)
  return JSON.parse(end < 0 ? text.slice(start) : text.slice(start, end + 1)) as Row
}

/** Parses the number in a column, by its index, of the row with a time that exists. */
function parseNumberAt(text: string, time: number, column: number): number {
  const head = `[${time},`
  const start = text.indexOf(head)
  if (column > 0 || start < 0) return parseRowAt(text, time)[column + 1] as number
  // Faster than parsing the row: charts read tens of thousands of these.
  return Number.parseFloat(text.slice(start + head.length, start + head.length + maxNumberLength))
}
