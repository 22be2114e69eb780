/** Down-sampling for charts: of each part of a range the rows that stand out, or counts and sums. */
import type { ChunkTable, Summarized } from './chunks.js'
import { Extremes } from './extremes.js'
import { above, type Form, type Range } from './page.js'
import { partsOf, type Block, type Part } from './parts.js'
import { isApart, type Row } from './rows.js'
import { smallSize, type Figures } from './summary.js'
import { Tally } from './tally.js'

export interface Sampling extends Form {
  /** The holder's number. */
  readonly event: number
  /** Finite, and not empty. */
  readonly range: Range
  /** Parts of the range, all of the same length. */
  readonly buckets: number
  /** Places of the cells that are summed up; without it the rows with extremes are wanted. */
  readonly summed?: readonly number[] | undefined
}

/** Text of rows that have been decided on, maybe none yet. */
export interface SampledPage {
  readonly text: string
  readonly count: number
  readonly done: boolean
}

/** Chunks looked at in one page. */
const chunksAtOnce = 200
/** Rows read one by one in one page, about. */
const rowsAtOnce = 4096
/** Characters of rows and of summaries that one page reads, about: some rows hold long texts. */
const charactersAtOnce = 512 * 1024
/** Rows in one page, about: what a page holds is sent even to readers who lose sight of the series meanwhile. */
const keptAtOnce = 1000

/** Goes through a range and keeps little of it. Of chunks that lie within one bucket only the summaries are read. */
export class Sampler {
  #rest: Range | undefined
  #bucket = 0
  #gathered: Extremes | Tally
  #kept: Row[] = []
  /** DeltaTime of the last row that has been answered. */
  #shown = -Infinity
  #rowsLeft = 0
  #charactersLeft = 0
  /** Large chunks without a summary that the last page has had to read. */
  unsummarized: number[] = []

  constructor(private readonly query: Sampling) {
    this.#rest = query.range
    this.#gathered = this.#emptied()
  }

  /** Reads on. */
  next(chunks: ChunkTable): SampledPage {
    this.unsummarized = []
    this.#rowsLeft = rowsAtOnce
    this.#charactersLeft = charactersAtOnce
    if (this.#rest) this.#rest = this.#go(chunks, this.#rest)
    if (!this.#rest) this.#endBucket()
    const done = this.#rest === undefined
    const kept = this.#kept
    // How the last row looks depends on the next one.
    this.#kept = done ? [] : kept.splice(-1)
    const text = this.#textOf(kept, this.#kept[0]?.[0] ?? Infinity)
    this.#shown = kept.at(-1)?.[0] ?? this.#shown
    return { text, count: kept.length, done }
  }

  /** Answers what is left of the range. */
  #go(chunks: ChunkTable, { from, to }: Range): Range | undefined {
    const { event, summed } = this.query
    // The range may begin within a chunk.
    const start = chunks.firstAtOrBefore(event, from) ?? from
    const part = summed ? 'measures' : 'extremes'
    const { found, isLast } = chunks.summarized(event, start, chunksAtOnce, part, charactersAtOnce)
    let rest = from
    for (const chunk of found) {
      if (chunk[1] >= to) return undefined
      rest = Math.max(rest, above(this.#chunk(chunks, chunk, { from: rest, to })))
      const isFull = this.#kept.length >= keptAtOnce
      if (this.#rowsLeft <= 0 || this.#charactersLeft <= 0 || isFull) return { from: rest, to }
    }
    return isLast ? undefined : { from: rest, to }
  }

  /** Takes what lies in the range; answers where the chunk ends. */
  #chunk(chunks: ChunkTable, [number, first, last, count, text]: Summarized, range: Range): number {
    if (last === null || count === null || text === null) return this.#unsummarized(chunks, number, range)
    if (last < range.from) return last
    if (this.#isWithinBucket(first, last, range)) this.#takeBlock(first, wholeBlock(count, text))
    else
      this.#parts(
        partsOf({ first, last, count, points: this.#points(chunks, number) }, chunks.parts(number)),
        range
      )
    return last
  }

  #unsummarized(chunks: ChunkTable, number: number, range: Range): number {
    const { count, extremes, first, last } = chunks.head(number)
    if (last < range.from) return last
    if (!this.query.summed && extremes !== null && this.#isWithinBucket(first, last, range))
      this.#takeBlock(first, wholeBlock(count, extremes))
    else {
      this.#parts(partsOf({ first, last, count, points: this.#points(chunks, number) }, null), range)
      if (count >= smallSize) this.unsummarized.push(number)
    }
    return last
  }

  #points(chunks: ChunkTable, number: number): string {
    const points = chunks.points(number)
    this.#charactersLeft -= points.length
    return points
  }

  #parts(parts: readonly Part[], range: Range): void {
    for (const { block, end, first, isLast, rows } of parts) {
      if (first >= range.to) return
      if (isLast ? end < range.from : end <= range.from) continue
      if (block && this.#isWithinBucket(first, end, range)) this.#takeBlock(first, block)
      else this.#rows(rows(), range)
    }
  }

  #rows(rows: readonly Row[], { from, to }: Range): void {
    this.#rowsLeft -= rows.length
    for (const row of rows) {
      if (row[0] < from) continue
      if (row[0] >= to) return
      this.#enter(row[0])
      this.#gathered.take(row)
    }
  }

  #takeBlock(first: number, block: Block): void {
    this.#enter(first)
    this.#gathered.takeBlock(block)
  }

  /** Goes on to the bucket that a time belongs to. */
  #enter(time: number): void {
    const bucket = this.#bucketOf(time)
    if (bucket === this.#bucket) return
    this.#endBucket()
    this.#bucket = bucket
    this.#gathered = this.#emptied()
  }

  #endBucket(): void {
    const { buckets, range } = this.query
    const start = range.from + (this.#bucket / buckets) * (range.to - range.from)
    this.#kept.push(...this.#gathered.rows(start))
  }

  #emptied(): Extremes | Tally {
    const { summed } = this.query
    return summed ? new Tally(summed) : new Extremes()
  }

  #isWithinBucket(first: number, last: number, { from, to }: Range): boolean {
    return first >= from && last < to && this.#bucketOf(first) === this.#bucketOf(last)
  }

  #bucketOf(time: number): number {
    const { range, buckets } = this.query
    return Math.floor(((time - range.from) / (range.to - range.from)) * buckets)
  }

  #textOf(rows: readonly Row[], next: number): string {
    const { summed, width } = this.query
    const shown = rows.map(([time, ...cells], at) => [
      this.#shownTime(rows[at - 1]?.[0] ?? this.#shown, time, rows[at + 1]?.[0] ?? next),
      // Extremes of older chunks know nothing of columns that have come later.
      ...(summed ? cells : Array.from({ length: width - 1 }, (_, index) => cells[index] ?? null))
    ])
    return JSON.stringify(shown).slice(1, -1)
  }

  /** In milliseconds where the rows around are as far away, as points are; beginnings of parts in nanoseconds at most. */
  #shownTime(before: number, time: number, after: number): number {
    const { isFine, summed } = this.query
    if (!isFine && isApart(before, time, after)) return Math.round(time * 1e3) / 1e3
    return summed ? Math.round(time * 1e9) / 1e9 : time
  }
}

/** A block that is a whole chunk: of its summary only the part that is wanted is there. */
function wholeBlock(count: number, text: string): Block {
  return {
    count,
    extremes: () => JSON.parse(text) as Row[],
    measures: () => JSON.parse(text) as Figures[]
  }
}
