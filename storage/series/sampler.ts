/** Down-sampling for charts: for each bucket of a range the rows with extreme values, or counts and sums. */
import { ChunkWalk, type RowSink } from './chunk-walk.js'
import type { ChunkTable } from './chunks.js'
import type { RowFormat, Range } from './page.js'
import type { Block } from './parts.js'
import { isApart, roundTime, type Row } from './rows.js'
import { Tally } from './tally.js'

export interface SampleOptions extends RowFormat {
  /** The holder's number. */
  readonly event: number
  /** Finite, and not empty. */
  readonly range: Range
  /** Number of buckets of equal length. */
  readonly buckets: number
  /** Indexes of the cells to sum; if absent, the rows with extreme values are returned. */
  readonly summedCells?: readonly number[] | undefined
}

/** Text of complete rows; may be empty before the end. */
export interface SampledPage {
  readonly text: string
  readonly count: number
  readonly done: boolean
}

/** Approximate maximum number of rows in a page: what a page holds is sent even to readers who lose access in the meantime. */
const maxPageRows = 1000

/** Scans a range with little state. Of chunks within one bucket only the summaries are read. */
export class Sampler implements RowSink {
  readonly #walk: ChunkWalk
  #bucket = 0
  #aggregate: Extremes | Tally
  #ready: Row[] = []
  /** DeltaTime of the last returned row. */
  #lastTime = -Infinity

  constructor(private readonly query: SampleOptions) {
    const { event, range, summedCells } = query
    this.#walk = new ChunkWalk({ event, range, part: summedCells ? 'measures' : 'extremes' })
    this.#aggregate = this.#createAggregate()
  }

  /** Large chunks without a summary that the last page had to read. */
  get unsummarized(): readonly number[] {
    return this.#walk.unsummarized
  }

  /** Reads the next page. */
  next(chunks: ChunkTable): SampledPage {
    this.#walk.next(chunks, this)
    const done = this.#walk.isDone
    if (done) this.#endBucket()
    const ready = this.#ready
    // The rounding of the last row depends on the next one.
    this.#ready = done ? [] : ready.splice(-1)
    const text = this.#format(ready, this.#ready[0]?.[0] ?? Infinity)
    this.#lastTime = ready.at(-1)?.[0] ?? this.#lastTime
    return { text, count: ready.length, done }
  }

  get isFull(): boolean {
    return this.#ready.length >= maxPageRows
  }

  isWithinBucket(first: number, last: number): boolean {
    return this.#getBucket(first) === this.#getBucket(last)
  }

  findBucketEnd(time: number): number | undefined {
    const { buckets, range, summedCells } = this.query
    if (!summedCells) return undefined
    return range.from + ((this.#getBucket(time) + 1) / buckets) * (range.to - range.from)
  }

  addRow(row: Row): void {
    this.#enterBucket(row[0])
    this.#aggregate.add(row)
  }

  addBlock(first: number, block: Block): void {
    this.#enterBucket(first)
    this.#aggregate.addBlock(block)
  }

  /** Moves to the bucket that a time belongs to. */
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

  #getBucket(time: number): number {
    const { range, buckets } = this.query
    return Math.floor(((time - range.from) / (range.to - range.from)) * buckets)
  }

  #format(rows: readonly Row[], next: number): string {
    const { summedCells, width } = this.query
    const shown = rows.map(([time, ...cells], at) => [
      this.#roundTime(rows[at - 1]?.[0] ?? this.#lastTime, time, rows[at + 1]?.[0] ?? next),
      // Extremes of older chunks lack columns that were added later.
      ...(summedCells ? cells : Array.from({ length: width - 1 }, (_, index) => cells[index] ?? null))
    ])
    return JSON.stringify(shown).slice(1, -1)
  }

  /** Rounds to milliseconds if the neighbouring rows are far enough apart; starts of buckets to nanoseconds. */
  #roundTime(before: number, time: number, after: number): number {
    const { isFine, summedCells } = this.query
    if (!isFine && isApart(before, time, after)) return roundTime(time, 1e3)
    return summedCells ? roundTime(time, 1e9) : time
  }
}

/** Takes rows in order of time, and keeps those with extreme values. */
class Extremes {
  readonly #least: (Row | undefined)[] = []
  readonly #greatest: (Row | undefined)[] = []
  #first: Row | undefined

  /** Takes one row. */
  add(row: Row): void {
    this.#first ??= row
    for (let at = 1; at < row.length; at++) {
      const value = row[at]
      if (typeof value !== 'number') continue
      const least = this.#least[at]
      const greatest = this.#greatest[at]
      if (!least || value < (least[at] as number)) this.#least[at] = row
      if (!greatest || value > (greatest[at] as number)) this.#greatest[at] = row
    }
  }

  /** Takes the extreme rows of a block instead of all its rows. */
  addBlock(block: Pick<Block, 'extremes'>): void {
    for (const row of block.extremes()) this.add(row)
  }

  /** Returns the rows with extreme values, by time; the first row if no column holds numbers. */
  rows(): Row[] {
    const rows = new Set([...this.#least, ...this.#greatest].filter(row => row !== undefined))
    if (rows.size === 0 && this.#first) rows.add(this.#first)
    return [...rows].toSorted((a, b) => a[0] - b[0])
  }
}
