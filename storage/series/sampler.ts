/** Down-sampling for charts: of each part of a range, the rows that hold the least and the greatest value of a column. */
import type { ChunkTable, Summary } from './chunks.js'
import { Extremes } from './extremes.js'
import { above, nextPage, type Form, type Range } from './page.js'
import type { Row } from './rows.js'

export interface Sampling extends Form {
  /** The holder's number. */
  readonly event: number
  /** Finite, and not empty. */
  readonly range: Range
  /** Parts of the range, all of the same length. */
  readonly buckets: number
}

/** Chunks looked at in one page. */
const chunksAtOnce = 20

/** Goes through a range and keeps little of it. Chunks that lie within one bucket are read by their extremes only. */
export class Sampler {
  #rest: Range | undefined
  #bucket = 0
  #extremes = new Extremes()

  constructor(private readonly query: Sampling) {
    this.#rest = query.range
  }

  /** Reads on: the text of rows that have been decided on, maybe none yet. */
  next(chunks: ChunkTable): { text: string; count: number; done: boolean } {
    const kept: Row[] = []
    if (this.#rest) this.#rest = this.#go(chunks, this.#rest, kept)
    if (!this.#rest) kept.push(...this.#extremes.rows())
    return { text: this.#textOf(kept), count: kept.length, done: this.#rest === undefined }
  }

  #go(chunks: ChunkTable, range: Range, kept: Row[]): Range | undefined {
    const { event } = this.query
    const summaries = chunks.summaries(event, range.from, chunksAtOnce)
    const end = chunks.endAtOrBefore(event, range.from)
    // The range begins within a chunk.
    if (end !== undefined && end >= range.from && summaries[0]?.first !== range.from)
      return this.#scan(chunks, range, kept)
    let { from } = range
    for (const summary of summaries) {
      if (summary.first >= range.to) return undefined
      if (!this.#isEnough(summary)) return this.#scan(chunks, { from, to: range.to }, kept)
      for (const row of JSON.parse(summary.extremes!) as Row[]) this.#take(row, kept)
      from = above(summary.last)
    }
    return summaries.length < chunksAtOnce ? undefined : { from, to: range.to }
  }

  /** Whether a chunk's extremes tell all that matters of it. */
  #isEnough({ extremes, first, last }: Summary): boolean {
    return extremes !== null && last < this.query.range.to && this.#bucketOf(first) === this.#bucketOf(last)
  }

  #scan(chunks: ChunkTable, range: Range, kept: Row[]): Range | undefined {
    const { event, width } = this.query
    const { text, rest } = nextPage(chunks, event, range, { width, isFine: true })
    for (const row of JSON.parse(`[${text}]`) as Row[]) this.#take(row, kept)
    return rest
  }

  #take(row: Row, kept: Row[]): void {
    const bucket = this.#bucketOf(row[0])
    if (bucket !== this.#bucket) {
      kept.push(...this.#extremes.rows())
      this.#extremes = new Extremes()
      this.#bucket = bucket
    }
    this.#extremes.take(row)
  }

  #bucketOf(time: number): number {
    const { range, buckets } = this.query
    return Math.floor(((time - range.from) / (range.to - range.from)) * buckets)
  }

  #textOf(rows: readonly Row[]): string {
    const { isFine, width } = this.query
    const shown = rows.map(([time, ...cells]) => [
      isFine ? time : Math.round(time * 1e3) / 1e3,
      // Extremes of older chunks know nothing of columns that have come later.
      ...Array.from({ length: width - 1 }, (_, index) => cells[index] ?? null)
    ])
    return JSON.stringify(shown).slice(1, -1)
  }
}
