/** Down-sampling for charts: for each bucket of a range the rows with extreme values, or counts and sums. */
import type { ChunkTable, Summarized } from './chunks.js'
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

/** Maximum number of chunks read for one page. */
const maxChunks = 200
/** Approximate maximum number of rows read one by one for one page. */
const maxRows = 4096
/** Approximate maximum length of rows and summaries read for one page, in characters: some rows hold long texts. */
const maxCharacters = 512 * 1024
/** Approximate maximum number of rows in a page: what a page holds is sent even to readers who lose access meanwhile. */
const maxPageRows = 1000

/** Scans a range with little state. Of chunks within one bucket only the summaries are read. */
export class Sampler {
  #rest: Range | undefined
  #bucket = 0
  #aggregate: Extremes | Tally
  #ready: Row[] = []
  /** DeltaTime of the last returned row. */
  #lastTime = -Infinity
  #rowsLeft = 0
  #charactersLeft = 0
  /** Large chunks without a summary that the last page had to read. */
  unsummarized: number[] = []

  constructor(private readonly query: SampleOptions) {
    this.#rest = query.range
    this.#aggregate = this.#createAggregate()
  }

  /** Reads the next page. */
  next(chunks: ChunkTable): SampledPage {
    this.unsummarized = []
    this.#rowsLeft = maxRows
    this.#charactersLeft = maxCharacters
    if (this.#rest) this.#rest = this.#readRange(chunks, this.#rest)
    if (!this.#rest) this.#endBucket()
    const done = this.#rest === undefined
    const ready = this.#ready
    // The rounding of the last row depends on the next one.
    this.#ready = done ? [] : ready.splice(-1)
    const text = this.#format(ready, this.#ready[0]?.[0] ?? Infinity)
    this.#lastTime = ready.at(-1)?.[0] ?? this.#lastTime
    return { text, count: ready.length, done }
  }

  /** Returns the range that remains to be read. */
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

  /** Takes the part of a chunk that lies in the range. Returns the end of the chunk. */
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
      // Extremes of older chunks lack columns that were added later.
      ...(summedCells ? cells : Array.from({ length: width - 1 }, (_, index) => cells[index] ?? null))
    ])
    return JSON.stringify(shown).slice(1, -1)
  }

  /** Rounds to milliseconds if the neighbouring rows are far enough apart; starts of buckets to nanoseconds. */
  #roundTime(before: number, time: number, after: number): number {
    const { isFine, summedCells } = this.query
    if (!isFine && isApart(before, time, after)) return Math.round(time * 1e3) / 1e3
    return summedCells ? Math.round(time * 1e9) / 1e9 : time
  }
}

/** Creates the block of a whole chunk. Only the requested part of its summary is available. */
function createChunkBlock(count: number, text: string): Block {
  return {
    count,
    extremes: () => JSON.parse(text) as Row[],
    measures: () => JSON.parse(text) as Figures[]
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
