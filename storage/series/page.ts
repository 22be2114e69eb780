/** Reads series chunk by chunk: whole chunks as stored text, and only chunks at the edges of the range row by row. */
import type { Chunk, ChunkTable } from './chunks.js'
import { fitRows, lowerBound, roundRows, splitRows, parseTime } from './rows.js'

/** A range of deltaTimes: `from` is included, `to` is not. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The format of returned rows. */
export interface RowFormat {
  /** Cells of each row, deltaTime included. */
  readonly width: number
  /** True to return deltaTimes exactly as stored; otherwise they are rounded to milliseconds unless points are closer. */
  readonly isFine: boolean
}

/** Rows joined by commas, and the range that remains to be read; without `rest` the end is reached. */
export interface PointPage {
  readonly text: string
  readonly count: number
  /** How many bytes the text has beyond its number of characters, if known. */
  readonly excess?: number
  readonly rest: Range | undefined
}

/** Rows as stored bytes, joined by commas, and the range that may remain to be read. */
export interface PointBytes {
  readonly bytes: Uint8Array
  readonly count: number
  readonly rest: Range
}

const emptyPage: PointPage = { text: '', count: 0, rest: undefined }
/**
 * Length after which whole chunks fill a page, in characters: with the last chunk usually at most 128 KB. V8 allocates
 * longer texts outside its young generation, which costs more than reading the points.
 */
const maxPageLength = 96 * 1024
/**
 * Bytes after which whole chunks fill a page of bytes: such bytes are not in V8's heap, and each page costs a turn of
 * the event loop.
 */
const maxPageBytes = 256 * 1024
/**
 * Chunks with more bytes, which have one long row, are read as text, which is spooled: bytes stay in memory until the client
 * has taken them.
 */
const maxChunkBytes = 2 * 1024 * 1024
/** Maximum number of chunks in a page of bytes. */
const maxPageChunks = 16

/** Reads the next rows of a range, ascending: of one chunk, or of several that need no change; at most `limit`. */
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
    ...fitToFormat(roundTimes(chunks, event, chunk, format, texts).slice(start, stop), chunk, format),
    rest
  }
}

/**
 * Reads the rows of several chunks as bytes, which are neither decoded nor encoded; `undefined` if the next chunk
 * cannot be copied as stored.
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
    if (count + rows > limit || bytes > maxChunkBytes || !matchesFormat({ width, fine }, format)) break
    count += rows
    size += bytes
    end = last
    if (size >= maxPageBytes) break
  }
  if (count === 0) return undefined
  return { bytes: chunks.readBytes(event, from, end), count, rest: { from: nextDouble(end), to } }
}

/** Reads the last rows of a range, descending: of one chunk, at most `limit`. */
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
  return { ...fitToFormat(part, chunk, format), rest }
}

/**
 * Joins the chunks within a range, up to the first chunk that cannot be copied as stored; `undefined` if not even the
 * first one can.
 */
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

/** Returns all rows of a chunk: as stored if the format is the same. */
function readWholeChunk(
  chunks: ChunkTable,
  event: number,
  chunk: Chunk,
  format: RowFormat
): Omit<PointPage, 'rest'> {
  const { points, count } = chunk
  if (matchesFormat(chunk, format)) return { text: points, count }
  return fitToFormat(roundTimes(chunks, event, chunk, format, splitRows(points, count)), chunk, format)
}

/** Returns the rows of a chunk with rounded deltaTimes, if needed. */
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

/** Returns whether the rows of a chunk can be copied as stored. */
function matchesFormat({ fine, width }: Pick<Chunk, 'fine' | 'width'>, format: RowFormat): boolean {
  return width === format.width && (fine === 0 || format.isFine)
}

/** Converts rows of a chunk to the columns of the format, and joins them. */
function fitToFormat(texts: readonly string[], { width }: Chunk, format: RowFormat): Omit<PointPage, 'rest'> {
  if (texts.length === 0) return { text: '', count: 0 }
  return { text: fitRows(texts, format.width, width), count: texts.length }
}

function getRemainder(texts: readonly string[], to: number): Range | undefined {
  const last = texts.at(-1)
  return last === undefined ? undefined : { from: nextDouble(parseTime(last)), to }
}

const bits = new DataView(new ArrayBuffer(8))

/** Returns the next double after a double that is not negative. */
export function nextDouble(time: number): number {
  return stepDouble(time, 1n)
}

/** Returns the double before a positive double. */
function previousDouble(time: number): number {
  return stepDouble(time, -1n)
}

function stepDouble(time: number, ulps: bigint): number {
  bits.setFloat64(0, time)
  bits.setBigUint64(0, bits.getBigUint64(0) + ulps)
  return bits.getFloat64(0)
}
