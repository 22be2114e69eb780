/** Parts of a chunk that has a summary: found in its text, and read by their figures or row by row. */
import { partSize, type Figures, type PartFigures } from './summary.js'
import type { Chunk } from './chunks.js'
import { timeOf, type Row } from './rows.js'

/** Rows that follow each other, as far as a chart is concerned. */
export interface Block {
  readonly count: number
  /** The rows that stand out, by time. */
  readonly extremes: () => readonly Row[]
  /** {@link Figures} of each column. */
  readonly measures: () => readonly Figures[]
}

/** Some rows of a chunk. */
export interface Part {
  readonly first: number
  /** The first time of what follows in the chunk; of the last part that of its last row. */
  readonly end: number
  readonly isLast: boolean
  readonly rows: () => Row[]
  readonly block: Block | undefined
}

type Measured = Pick<Chunk, 'count' | 'first' | 'last' | 'points'>

/** A chunk cut into parts; it is one by itself if `parts` (see storage/series/summary.ts) is `null`. */
export function partsOf({ count, first, last, points }: Measured, parts: string | null): Part[] {
  if (parts === null)
    return [{ first, end: last, isLast: true, rows: () => rowsOf(points), block: undefined }]
  const figures = JSON.parse(parts) as PartFigures[]
  const texts = figures.map(([start], index) => {
    const next = figures[index + 1]
    return points.slice(start, next ? next[0] - 1 : undefined)
  })
  const firsts = texts.map(text => timeOf(text.slice(1, longestTime)))
  return texts.map((text, index) => {
    const isLast = index === texts.length - 1
    const [, ...columns] = figures[index]!
    return {
      first: firsts[index]!,
      end: isLast ? last : firsts[index + 1]!,
      isLast,
      rows: () => rowsOf(text),
      block: blockOf(text, isLast ? count - index * partSize : partSize, columns)
    }
  })
}

/** Characters of a number at most, and some more. */
const longestTime = 32

function blockOf(text: string, count: number, columns: readonly Figures[]): Block {
  const at = (time: number): Row => rowAt(text, time)
  return {
    count,
    extremes() {
      const times = new Set(columns.flatMap(figures => (figures === 0 ? [] : [figures[2], figures[3]])))
      if (times.size === 0) times.add(timeOf(text.slice(1, longestTime)))
      return [...times].toSorted((a, b) => a - b).map(at)
    },
    measures: () =>
      columns.map((figures, index) => {
        if (figures === 0) return 0
        const [numbers, sum, least, greatest] = figures
        return [numbers, sum, at(least)[index + 1] as number, at(greatest)[index + 1] as number]
      })
  }
}

/** The row of a time that is there. */
function rowAt(text: string, time: number): Row {
  const start = Math.max(0, text.indexOf(`[${time},`))
  const end = text.indexOf('],[', start)
  return JSON.parse(end < 0 ? text.slice(start) : text.slice(start, end + 1)) as Row
}

function rowsOf(text: string): Row[] {
  return JSON.parse(`[${text}]`) as Row[]
}
