/** Down-sampling for charts: of each part of a range the rows that stand out, or counts and sums. */
import type { ChunkTable, Summarized } from './chunks.js'
import { Extremes } from './extremes.js'
import { nextDouble, type RowFormat, type Range } from './page.js'
import { splitIntoParts, type Block, type Part } from './parts.js'
import { isApart, type Row } from './rows.js'
import { smallSize, type Figures } from './summary.js'
import { Tally } from './tally.js'

export interface SampleOptions extends RowFormat {
  /** The holder's number. */
  readonly event: number
  /** Finite, and not empty. */
  readonly range: Range
  /** Parts of the range, all of the same length. */
  readonly buckets: number
  /** Places of the cells that are summed up; without it the rows with extremes are wanted. */
  readonly summedCells?: readonly number[] | undefined
}

/** Text of rows that have been decided on, maybe none yet. */
export interface SampledPage {
  readonly text: string
  readonly count: number
  readonly done: boolean
}

/** Chunks looked at in one page. */
const maxChunks = 200
/** Rows read one by one in one page, about. */
const maxRows = 4096
/** Characters of rows and of summaries that one page reads, about: some rows hold long texts. */
const maxCharacters = 512 * 1024
/** Rows in one page, about: what a page holds is sent even to readers who lose sight of the series meanwhile. */
const maxPageRows = 1000

/** Goes through a range and keeps little of it. Of chunks that lie within one bucket only the summaries are read. */
export class Sampler {
  #rest: Range | undefined
  #bucket = 0
  #aggregate: Extremes | Tally
  #ready: Row[] = []
  /** DeltaTime of the last row that has been answered. */
  #lastTime = -Infinity
  #rowsLeft = 0
  #charactersLeft = 0
  /** Large chunks without a summary that the last page has had to read. */
  unsummarized: number[] = []

  constructor(private readonly query: SampleOptions) {
    this.#rest = query.range
    this.#aggregate = this.#createAggregate()
  }

  /** Reads on. */
  next(chunks: ChunkTable): SampledPage {
    this.unsummarized = []
    this.#rowsLeft = maxRows
    this.#charactersLeft = maxCharacters
    if (this.#rest) this.#rest = this.#readRange(chunks, this.#rest)
    if (!this.#rest) this.#endBucket()
    const done = this.#rest === undefined
    const ready = this.#ready
    // How the last row looks depends on the next one.
    this.#ready = done ? [] : ready.splice(-1)
    const text = this.#format(ready, this.#ready[0]?.[0] ?? Infinity)
    this.#lastTime = ready.at(-1)?.[0] ?? this.#lastTime
    return { text, count: ready.length, done }
  }

  /** Answers what is left of the range. */
  #readRange(chunks: ChunkTable, { from, to }: Range): Range | undefined {
    const { event, summedCells } = this.query
    // The range may begin within a chunk.
    const start = chunks.findStartAtOrBefore(event, from) ?? from
    const part = summedCells ? 'measures' : 'extremes'
    const { found, isLast } = chunks.listSummarized(event, start, maxChunks, part, maxCharacters)
    let rest = from
    for (const chunk of found) {
      if (chunk[1] >= to) return undefined
      rest = Math.max(rest, nextDouble(this.#takeChunk(chunks, chunk, { from: rest, to })))
      const isFull = this.#ready.length >= maxPageRows
      if (this.#rowsLeft <= 0 || this.#charactersLeft <= 0 || isFull) return { from: rest, to }
    }
    return isLast ? undefined : { from: rest, to }
  }

  /** Takes what lies in the range; answers where the chunk ends. */
  #takeChunk(chunks: ChunkTable, [number, first, last, count, text]: Summarized, range: Range): number {
    if (last === null || count === null || text === null) return this.#takeUnsummarized(chunks, number, range)
    if (last < range.from) return last
    if (this.#isWithinBucket(first, last, range)) this.#takeBlock(first, createChunkBlock(count, text))
    else
      this.#takeParts(
        splitIntoParts(
          { first, last, count, points: this.#readPoints(chunks, number) },
          chunks.readParts(number)
        ),
        range
      )
    return last
  }

  #takeUnsummarized(chunks: ChunkTable, number: number, range: Range): number {
    const { count, extremes, first, last } = chunks.readHead(number)
    if (last < range.from) return last
    if (!this.query.summedCells && extremes !== null && this.#isWithinBucket(first, last, range))
      this.#takeBlock(first, createChunkBlock(count, extremes))
    else {
      this.#takeParts(
        splitIntoParts({ first, last, count, points: this.#readPoints(chunks, number) }, null),
        range
      )
      if (count >= smallSize) this.unsummarized.push(number)
    }
    return last
  }

  #readPoints(chunks: ChunkTable, number: number): string {
    const points = chunks.readPoints(number)
    this.#charactersLeft -= points.length
    return points
  }

  #takeParts(parts: readonly Part[], range: Range): void {
    for (const { block, end, first, isLast, rows } of parts) {
      if (first >= range.to) return
      if (isLast ? end < range.from : end <= range.from) continue
      if (block && this.#isWithinBucket(first, end, range)) this.#takeBlock(first, block)
      else this.#takeRows(rows(), range)
    }
  }

  #takeRows(rows: readonly Row[], { from, to }: Range): void {
    this.#rowsLeft -= rows.length
    for (const row of rows) {
      if (row[0] < from) continue
      if (row[0] >= to) return
      this.#enterBucket(row[0])
      this.#aggregate.add(row)
    }
  }

  #takeBlock(first: number, block: Block): void {
    this.#enterBucket(first)
    this.#aggregate.addBlock(block)
  }

  /** Goes on to the bucket that a time belongs to. */
  #enterBucket(time: number): void {
    const bucket = this.#getBucket(time)
    if (bucket === this.#bucket) return
    this.#endBucket()
    this.#bucket = bucket
    this.#aggregate = this.#createAggregate()
  }

  #endBucket(): void {
    const { buckets, range } = this.query
    const start = range.from + (this.#bucket / buckets) * (range.to - range.from)
    this.#ready.push(...this.#aggregate.rows(start))
  }

  #createAggregate(): Extremes | Tally {
    const { summedCells } = this.query
    return summedCells ? new Tally(summedCells) : new Extremes()
  }

  #isWithinBucket(first: number, last: number, { from, to }: Range): boolean {
    return first >= from && last < to && this.#getBucket(first) === this.#getBucket(last)
  }

  #getBucket(time: number): number {
    const { range, buckets } = this.query
    return Math.floor(((time - range.from) / (range.to - range.from)) * buckets)
  }

  #format(rows: readonly Row[], next: number): string {
    const { summedCells, width } = this.query
    const shown = rows.map(([time, ...cells], at) => [
      this.#roundTime(rows[at - 1]?.[0] ?? this.#lastTime, time, rows[at + 1]?.[0] ?? next),
      // Extremes of older chunks know nothing of columns that have come later.
      ...(summedCells ? cells : Array.from({ length: width - 1 }, (_, index) => cells[index] ?? null))
    ])
    return JSON.stringify(shown).slice(1, -1)
  }

  /** In milliseconds where the rows around are as far away, as points are; beginnings of parts in nanoseconds at most. */
  #roundTime(before: number, time: number, after: number): number {
    const { isFine, summedCells } = this.query
    if (!isFine && isApart(before, time, after)) return Math.round(time * 1e3) / 1e3
    return summedCells ? Math.round(time * 1e9) / 1e9 : time
  }
}

/** A block that is a whole chunk: of its summary only the part that is wanted is there. */
function createChunkBlock(count: number, text: string): Block {
  return {
    count,
    extremes: () => JSON.parse(text) as Row[],
    measures: () => JSON.parse(text) as Figures[]
  }
}
