/** Reads series chunk by chunk: whole ones as the text they are, only those at the edges cut. */
import type { Chunk, ChunkTable } from './chunks.js'
import { fitRows, lowerBound, roundRows, splitRows, parseTime } from './rows.js'

/** What to read: deltaTimes from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  readonly from: number
  readonly to: number
}

/** How rows are to look. */
export interface RowFormat {
  /** Cells of each row, deltaTime included. */
  readonly width: number
  /** Whether deltaTimes are shown as exactly as they are kept; otherwise in milliseconds where points are not closer. */
  readonly isFine: boolean
}

/** Some rows, joined by commas, and what is left to read after them: nothing if there is no `rest`. */
export interface PointPage {
  readonly text: string
  readonly count: number
  /** By how much the text's bytes outnumber its characters, where that is known. */
  readonly excess?: number
  readonly rest: Range | undefined
}

/** Rows as the bytes that are stored, joined by commas, and what may be left to read after them. */
export interface PointBytes {
  readonly bytes: Uint8Array
  readonly count: number
  readonly rest: Range
}

const emptyPage: PointPage = { text: '', count: 0, rest: undefined }
/**
 * Characters after which whole chunks make a page: with the chunk that it ends with, no more than 128 KB as a rule. V8 gives longer
 * texts pages of memory of their own, and mapping those costs more than reading the points.
 */
const maxPageLength = 96 * 1024
/** Bytes after which they make a page: these are not in the heap of V8, and each page costs a turn of the event loop. */
const maxPageBytes = 256 * 1024
/** Chunks in such a page at most: as many as it takes of those with few columns. */
const maxPageChunks = 16

/** The next rows of a range, ascending: of one chunk, or of several that are wanted as they are; `limit` of them at most. */
export function nextPage(
  chunks: ChunkTable,
  event: number,
  { from, to }: Range,
  format: RowFormat,
  limit = Infinity
): PointPage {
  const end = chunks.findEndAtOrBefore(event, from)
  const isWithin = end !== undefined && end >= from
  const page = isWithin ? undefined : readWholeChunks(chunks, event, { from, to }, format, limit)
  if (page) return page
  const chunk = isWithin ? chunks.findAtOrBefore(event, from) : chunks.findAfter(event, from)
  if (!chunk || chunk.first >= to) return emptyPage
  const isLast = chunk.last >= to
  if (chunk.first >= from && !isLast && chunk.count <= limit)
    return { ...readWholeChunk(chunks, event, chunk, format), rest: { from: nextDouble(chunk.last), to } }
  const texts = splitRows(chunk.points, chunk.count)
  const start = lowerBound(texts, from)
  const stop = Math.min(isLast ? lowerBound(texts, to) : texts.length, start + limit)
  const part = texts.slice(start, stop)
  const rest = isLast && stop - start < limit ? undefined : getRemainder(part, to)
  return {
    ...formatPart(roundTimes(chunks, event, chunk, format, texts).slice(start, stop), chunk, format),
    rest
  }
}

/**
 * As {@link nextPage}, the rows of several chunks as bytes, which are neither decoded nor encoded again; `undefined` if the next
 * chunk is not wanted whole as it is kept.
 */
export function nextBytes(
  chunks: ChunkTable,
  event: number,
  { from, to }: Range,
  format: RowFormat,
  limit = Infinity
): PointBytes | undefined {
  const previousEnd = chunks.findEndAtOrBefore(event, from)
  if (previousEnd !== undefined && previousEnd >= from) return undefined
  let [count, size, end] = [0, 0, from]
  for (const [last, rows, width, fine, bytes] of chunks.listHeadsBetween(event, from, to, maxPageChunks)) {
    if (count + rows > limit || !matchesFormat({ width, fine }, format)) break
    count += rows
    size += bytes
    end = last
    if (size >= maxPageBytes) break
  }
  if (count === 0) return undefined
  return { bytes: chunks.readBytes(event, from, end), count, rest: { from: nextDouble(end), to } }
}

/** The last rows of a range, descending. */
export function previousPage(
  chunks: ChunkTable,
  event: number,
  { from, to }: Range,
  format: RowFormat,
  limit = Infinity
): PointPage {
  const chunk = chunks.findBefore(event, to)
  if (!chunk || chunk.last < from) return emptyPage
  const texts = splitRows(chunk.points, chunk.count)
  const stop = lowerBound(texts, to)
  const start = Math.max(lowerBound(texts, from), stop - limit)
  const part = roundTimes(chunks, event, chunk, format, texts).slice(start, stop).toReversed()
  const earliest = start < stop ? texts[start] : undefined
  const rest = earliest === undefined ? { from, to: chunk.first } : { from, to: parseTime(earliest) }
  return { ...formatPart(part, chunk, format), rest }
}

/** Chunks within a range, joined, up to the first that is to look otherwise than it is kept; `undefined` if that is the first. */
function readWholeChunks(
  chunks: ChunkTable,
  event: number,
  { from, to }: Range,
  format: RowFormat,
  limit: number
): PointPage | undefined {
  let [text, count, excess, end] = ['', 0, 0, from]
  for (const [last, rows, width, fine, size, points] of chunks.iterateBetween(event, from, to)) {
    if (count + rows > limit || !matchesFormat({ width, fine }, format)) break
    text = count === 0 ? points : `${text},${points}`
    count += rows
    excess += size - points.length
    end = last
    if (text.length >= maxPageLength) break
  }
  return count === 0 ? undefined : { text, count, excess, rest: { from: nextDouble(end), to } }
}

function readWholeChunk(
  chunks: ChunkTable,
  event: number,
  chunk: Chunk,
  format: RowFormat
): Omit<PointPage, 'rest'> {
  const { points, count } = chunk
  if (matchesFormat(chunk, format)) return { text: points, count }
  return formatPart(roundTimes(chunks, event, chunk, format, splitRows(points, count)), chunk, format)
}

/** The rows of a chunk with the deltaTimes that are to be shown. */
function roundTimes(
  chunks: ChunkTable,
  event: number,
  { fine, first, last }: Chunk,
  { isFine }: RowFormat,
  texts: readonly string[]
): readonly string[] {
  if (isFine || fine === 0) return texts
  const before = first > 0 ? chunks.findEndAtOrBefore(event, previousDouble(first)) : undefined
  return roundRows(texts, before ?? -Infinity, chunks.findStartAfter(event, last))
}

/** Whether the rows of a chunk are to look as they are kept. */
function matchesFormat({ fine, width }: Pick<Chunk, 'fine' | 'width'>, format: RowFormat): boolean {
  return width === format.width && (fine === 0 || format.isFine)
}

function formatPart(texts: readonly string[], { width }: Chunk, format: RowFormat): Omit<PointPage, 'rest'> {
  if (texts.length === 0) return { text: '', count: 0 }
  return { text: fitRows(texts, format.width, width), count: texts.length }
}

function getRemainder(texts: readonly string[], to: number): Range | undefined {
  const last = texts.at(-1)
  return last === undefined ? undefined : { from: nextDouble(parseTime(last)), to }
}

const bits = new DataView(new ArrayBuffer(8))

/** The least double above one that is not negative: where reading goes on after it. */
export function nextDouble(time: number): number {
  return stepDouble(time, 1n)
}

/** The greatest double below one that is positive. */
function previousDouble(time: number): number {
  return stepDouble(time, -1n)
}

function stepDouble(time: number, ulps: bigint): number {
  bits.setFloat64(0, time)
  bits.setBigUint64(0, bits.getBigUint64(0) + ulps)
  return bits.getFloat64(0)
}
