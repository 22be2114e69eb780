/** Reads a range of a series to aggregate it: of chunks and parts within one bucket only their summaries. */
import type { ChunkTable, Summarized, SummaryPart } from './chunks.js'
import { nextDouble, type Range } from './page.js'
import { splitIntoParts, type Block, type Part } from './parts.js'
import type { Row } from './rows.js'
import { mergeFigures, minLargeRows, type Figures } from './summary.js'

interface WalkOptions {
  /** The holder's number. */
  readonly event: number
  /** Finite, and not empty. */
  readonly range: Range
  /** The part of summaries that the sink needs. */
  readonly part: SummaryPart
}

/** Takes the rows of a range in order: one by one, or as blocks. */
export interface RowSink {
  /** True if the page should end. */
  readonly isFull: boolean
  /** Returns whether rows from `first` to `last` (deltaTimes) can be taken as one block. */
  isWithinBucket(first: number, last: number, block: Block): boolean
  /** Takes one row. */
  addRow(row: Row): void
  /** Takes the rows of a block together, by its summary. Called only if {@link isWithinBucket}; `first`: deltaTime of its first row. */
  addBlock(first: number, block: Block): void
  /** Returns the deltaTime at which the bucket of a row ends; `undefined` or absent if chunks within it must not be taken together. */
  findBucketEnd?(time: number): number | undefined
}

/** Maximum number of chunks read for one page, and of those that are taken together. */
const maxChunks = 200
const maxSummed = 400
/** Number of chunks per bucket from which they are taken together: it costs two more statements per bucket. */
const denseChunks = 8
/** Approximate maximum number of rows read one by one for one page. */
const maxRows = 4096
/** Approximate maximum length of rows and summaries read for one page, in characters: some rows hold long texts. */
const maxCharacters = 512 * 1024
/** Size of the largest summary that is read together with others, in bytes. */
const maxSummaryBytes = maxCharacters / maxChunks

export class ChunkWalk {
  #rest: Range | undefined
  #rowsLeft = 0
  #charactersLeft = 0
  /** Number of chunks of the page that were not taken as a whole. */
  #dividedChunks = 0
  /** False if buckets have few chunks. */
  #isDense = true
  /** Large chunks without a summary that the last page had to read. */
  unsummarized: number[] = []

  constructor(private readonly options: WalkOptions) {
    this.#rest = options.range
  }

  /** Whether the whole range has been read. */
  get isDone(): boolean {
    return this.#rest === undefined
  }

  /** Reads the next page. */
  next(chunks: ChunkTable, sink: RowSink): void {
    this.unsummarized = []
    this.#rowsLeft = maxRows
    this.#charactersLeft = maxCharacters
    this.#dividedChunks = 0
    if (this.#rest) this.#rest = this.#readRange(chunks, sink, this.#rest)
  }

  /** Returns the range that remains to be read. */
  #readRange(chunks: ChunkTable, sink: RowSink, { from, to }: Range): Range | undefined {
    const { event, part } = this.options
    // The range may begin within a chunk.
    const start = chunks.findStartAtOrBefore(event, from) ?? from
    // If chunks are taken together, only the one at the end of a bucket is read by itself, after the one that precedes it.
    const limit = this.#isDense && sink.findBucketEnd ? 2 : maxChunks
    const { found, isLast } = chunks.listSummarized(event, start, limit, part, maxSummaryBytes)
    let rest = from
    for (const chunk of found) {
      if (chunk[1] >= to) return undefined
      rest = Math.max(rest, nextDouble(this.#takeChunk(chunks, sink, chunk, { from: rest, to })))
      if (this.#rowsLeft <= 0 || this.#charactersLeft <= 0 || sink.isFull) return { from: rest, to }
    }
    if (isLast) return undefined
    if (!this.#isDense) this.#isDense = found.length >= denseChunks * (this.#dividedChunks + 1)
    return this.#isDense ? this.#takeTogether(chunks, sink, { from: rest, to }) : { from: rest, to }
  }

  /** Takes the chunks up to the end of a bucket as one block, if that is possible. Returns the range that remains to be read. */
  #takeTogether(chunks: ChunkTable, sink: RowSink, { from, to }: Range): Range {
    const end = sink.findBucketEnd?.(from)
    const summed =
      end !== undefined &&
      chunks.sumSummarized(this.options.event, {
        from,
        to: Math.min(to, end),
        limit: maxSummed,
        maxBytes: maxSummaryBytes
      })
    this.#isDense = summed ? summed.chunks >= denseChunks : false
    if (!summed) return { from, to }
    const { count, first, last, measures } = summed
    const block: Block = { count, extremes: () => [], measures: () => mergeFigures(measures) }
    if (!sink.isWithinBucket(first, last, block)) return { from, to }
    sink.addBlock(first, block)
    return { from: nextDouble(last), to }
  }

  /** Takes the part of a chunk that lies in the range. Returns the end of the chunk. */
  #takeChunk(
    chunks: ChunkTable,
    sink: RowSink,
    [number, first, last, count, short]: Summarized,
    range: Range
  ): number {
    if (last === null || count === null) return this.#takeUnsummarized(chunks, sink, number, range)
    if (last < range.from) return last
    const block = createChunkBlock(count, short ?? this.#readSummary(chunks, number))
    if (first >= range.from && last < range.to && sink.isWithinBucket(first, last, block))
      sink.addBlock(first, block)
    else {
      this.#dividedChunks++
      const points = this.#readPoints(chunks, number)
      this.#takeParts(sink, splitIntoParts({ first, last, count, points }, chunks.readParts(number)), range)
    }
    return last
  }

  /** Takes the rows of a chunk that are in a range; as a block if they are in one bucket. Returns the time of its last row. */
  #takeUnsummarized(chunks: ChunkTable, sink: RowSink, number: number, range: Range): number {
    const { count, extremes, first, last } = chunks.readHead(number)
    if (last < range.from) return last
    const block =
      this.options.part === 'extremes' && extremes !== null ? createChunkBlock(count, extremes) : undefined
    if (block && first >= range.from && last < range.to && sink.isWithinBucket(first, last, block))
      sink.addBlock(first, block)
    else {
      this.#dividedChunks++
      const points = this.#readPoints(chunks, number)
      this.#takeParts(sink, splitIntoParts({ first, last, count, points }, null), range)
      if (count >= minLargeRows) this.unsummarized.push(number)
    }
    return last
  }

  #readSummary(chunks: ChunkTable, number: number): string {
    const text = chunks.readSummary(number, this.options.part)
    this.#charactersLeft -= text.length
    return text
  }

  #readPoints(chunks: ChunkTable, number: number): string {
    const points = chunks.readPoints(number)
    this.#charactersLeft -= points.length
    return points
  }

  #takeParts(sink: RowSink, parts: readonly Part[], range: Range): void {
    for (const { block, end, first, isLast, rows } of parts) {
      if (first >= range.to) return
      if (isLast ? end < range.from : end <= range.from) continue
      const isWhole = first >= range.from && end < range.to
      if (block && isWhole && sink.isWithinBucket(first, end, block)) sink.addBlock(first, block)
      else this.#takeRows(sink, rows(), range)
    }
  }

  #takeRows(sink: RowSink, rows: readonly Row[], { from, to }: Range): void {
    this.#rowsLeft -= rows.length
    for (const row of rows) {
      if (row[0] < from) continue
      if (row[0] >= to) return
      sink.addRow(row)
    }
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
