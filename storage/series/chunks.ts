/** The chunks of series: rows as text, in order of their first deltaTime. */
import type { Database } from 'better-sqlite3'
import { column, raw, statement } from '../sqlite/statements.js'
import { minLargeRows, type Figures, type Summary } from './summary.js'

/** A chunk without its text. */
interface ChunkHead {
  readonly number: number
  readonly first: number
  readonly last: number
  readonly count: number
  /** Cells of each row, deltaTime included. */
  readonly width: number
  /** 1 if some deltaTime is not a whole number of milliseconds. */
  readonly fine: number
}

/** A chunk without its text but with its size, to find chunks that can be merged. */
export interface SizedHead extends ChunkHead {
  /** Bytes of its text. */
  readonly size: number
}

export interface Chunk extends ChunkHead {
  /** The rows as JSON, joined by commas. */
  readonly points: string
}

/** A chunk to be stored. */
export interface NewChunk extends Omit<Chunk, 'number'> {
  /** `null` if it has not been computed. */
  readonly summary: Summary | null
}

/**
 * What the summary of a chunk says. `text` is the part that was requested, or `null` if it is too long; fields are `null` if
 * the chunk has no summary. An array, because a chart reads tens of thousands.
 */
export type Summarized = readonly [
  number: number,
  first: number,
  last: number | null,
  count: number | null,
  text: string | null
]

/** Which chunks to sum up: see {@link ChunkTable.sumSummarized}. */
interface SummedRange {
  readonly from: number
  readonly to: number
  readonly limit: number
  /** Of one summary. */
  readonly maxBytes: number
}

/** Consecutive chunks, as their summaries describe them. */
interface SummedChunks {
  readonly chunks: number
  readonly first: number
  readonly last: number
  /** Number of rows. */
  readonly count: number
  /** Of each chunk: {@link Figures} of each column. */
  readonly measures: readonly (readonly Figures[])[]
}

/** A part of a summary that is read for many chunks. */
export type SummaryPart = 'extremes' | 'measures'

/** A chunk that is copied as it is; `size`: bytes of its text. An array, since long series have thousands. */
type WholeChunk = readonly [
  last: number,
  count: number,
  width: number,
  fine: number,
  size: number,
  points: string
]

const headColumns = 'number, first, last, count, width, fine'
const chunkColumns = `${headColumns}, points`

/** Like {@link WholeChunk}, without its text. */
type WholeHead = readonly [last: number, count: number, width: number, fine: number, size: number]

export class ChunkTable {
  constructor(private readonly db: Database) {}

  /** Finds the last chunk that begins at or before `at`. */
  findAtOrBefore(event: number, at: number): Chunk | undefined {
    const sql = `SELECT ${chunkColumns} FROM series_chunk WHERE event = ? AND first <= ? ORDER BY first DESC LIMIT 1`
    return statement(this.db, sql).get(event, at) as Chunk | undefined
  }

  /** Finds the last chunk that begins before `at`. */
  findBefore(event: number, at: number): Chunk | undefined {
    const sql = `SELECT ${chunkColumns} FROM series_chunk WHERE event = ? AND first < ? ORDER BY first DESC LIMIT 1`
    return statement(this.db, sql).get(event, at) as Chunk | undefined
  }

  /** Finds the first chunk that begins after `at`. */
  findAfter(event: number, at: number): Chunk | undefined {
    const sql = `SELECT ${chunkColumns} FROM series_chunk WHERE event = ? AND first > ? ORDER BY first LIMIT 1`
    return statement(this.db, sql).get(event, at) as Chunk | undefined
  }

  /** Iterates over the chunks that begin after `from` and end before `to`, in order. */
  iterateBetween(event: number, from: number, to: number): IterableIterator<WholeChunk> {
    // Chunks do not overlap: bounding their starts limits unnecessary reads to one chunk.
    const sql = `SELECT last, count, width, fine, octet_length(points), points
      FROM series_chunk WHERE event = ? AND first > ? AND first < ? AND last < ? ORDER BY first`
    return raw(this.db, sql).iterate(event, from, to, to) as IterableIterator<WholeChunk>
  }

  /** Lists the first of {@link iterateBetween}, without their texts. */
  listHeadsBetween(event: number, from: number, to: number, limit: number): WholeHead[] {
    const sql = `SELECT last, count, width, fine, octet_length(points)
      FROM series_chunk WHERE event = ? AND first > ? AND first < ? AND last < ? ORDER BY first LIMIT +?`
    return raw(this.db, sql).all(event, from, to, to, limit) as WholeHead[]
  }

  /**
   * Reads the texts of the chunks from one that begins after `from` to one that begins at or before `last`, as bytes
   * joined by commas.
   */
  readBytes(event: number, from: number, last: number): Uint8Array {
    const sql = `SELECT CAST(group_concat(points) AS BLOB)
      FROM (SELECT points FROM series_chunk WHERE event = ? AND first > ? AND first <= ? ORDER BY first)`
    return column(this.db, sql).get(event, from, last) as Uint8Array
  }

  /**
   * Finds the last deltaTime of the last chunk that begins at or before `at`: the result tells whether that chunk has
   * to be read.
   */
  findEndAtOrBefore(event: number, at: number): number | undefined {
    const sql = 'SELECT last FROM series_chunk WHERE event = ? AND first <= ? ORDER BY first DESC LIMIT 1'
    return column(this.db, sql).get(event, at) as number | undefined
  }

  /** Finds the size of the last chunk that begins at or before `at`, in bytes. */
  findSizeAtOrBefore(event: number, at: number): number | undefined {
    const sql =
      'SELECT octet_length(points) FROM series_chunk WHERE event = ? AND first <= ? ORDER BY first DESC LIMIT 1'
    return column(this.db, sql).get(event, at) as number | undefined
  }

  /** Finds the start of the first chunk after `at`; infinite if there is none. */
  findStartAfter(event: number, at: number): number {
    const sql = 'SELECT first FROM series_chunk WHERE event = ? AND first > ? ORDER BY first LIMIT 1'
    return (column(this.db, sql).get(event, at) as number | undefined) ?? Infinity
  }

  /** Finds the start of the last chunk that begins at or before `at`. */
  findStartAtOrBefore(event: number, at: number): number | undefined {
    const sql = 'SELECT first FROM series_chunk WHERE event = ? AND first <= ? ORDER BY first DESC LIMIT 1'
    return column(this.db, sql).get(event, at) as number | undefined
  }

  /**
   * Lists chunks that begin at or after `at`, in order, with one part of their summaries, unless it is longer than
   * `maxBytes`. `isLast`: whether no chunks follow.
   */
  listSummarized(
    event: number,
    at: number,
    limit: number,
    part: SummaryPart,
    maxBytes: number
  ): { found: Summarized[]; isLast: boolean } {
    const sql = `SELECT c.number, c.first, s.last, s.count, CASE WHEN octet_length(s.${part}) <= ? THEN s.${part} END
      FROM series_chunk c INDEXED BY series_chunk_first LEFT JOIN series_summary s ON s.chunk = c.number
      WHERE c.event = ? AND c.first >= ? ORDER BY c.first LIMIT +?`
    const found = raw(this.db, sql).all(maxBytes, event, at, limit) as Summarized[]
    return { found, isLast: found.length < limit }
  }

  /**
   * Sums up the chunks that begin at or after `from` and end before `to`, at most `limit`; `undefined` if there is none, or if one of
   * them has no summary, or one with more than `maxBytes`.
   */
  sumSummarized(event: number, { from, limit, maxBytes, to }: SummedRange): SummedChunks | undefined {
    const sql = `SELECT count(*), count(measures), min(first), max(last), sum(count), group_concat(measures)
      FROM (SELECT c.first, s.last, s.count,
          CASE WHEN octet_length(s.measures) <= ? THEN s.measures END AS measures
        FROM series_chunk c INDEXED BY series_chunk_first LEFT JOIN series_summary s ON s.chunk = c.number
        WHERE c.event = ? AND c.first >= ? AND c.first < ? AND (s.last < ? OR s.last IS NULL)
        ORDER BY c.first LIMIT +?)`
    const bound = [maxBytes, event, from, to, to, limit]
    const found = raw(this.db, sql).get(...bound) as [number, number, number, number, number, string]
    const [chunks, summarized, first, last, count, texts] = found
    if (chunks === 0 || summarized < chunks) return undefined
    return { chunks, first, last, count, measures: JSON.parse(`[${texts}]`) as Figures[][] }
  }

  /** Reads a part of a chunk's summary. */
  readSummary(chunk: number, part: SummaryPart): string {
    return column(this.db, `SELECT ${part} FROM series_summary WHERE chunk = ?`).get(chunk) as string
  }

  /** Reads the parts of a chunk's summary, as JSON; `null` if its rows cannot be located by their times. */
  readParts(chunk: number): string | null {
    return column(this.db, 'SELECT parts FROM series_summary WHERE chunk = ?').get(chunk) as string | null
  }

  /** Returns whether a chunk has a stored summary. */
  isSummarized(chunk: number): boolean {
    return column(this.db, 'SELECT 1 FROM series_summary WHERE chunk = ?').get(chunk) !== undefined
  }

  /** Finds a chunk by its number, with its points. */
  find(number: number): Chunk | undefined {
    return statement(this.db, `SELECT ${chunkColumns} FROM series_chunk WHERE number = ?`).get(number) as
      | Chunk
      | undefined
  }

  /** Reads a chunk without its points; `extremes` if it was written before there were summaries. */
  readHead(number: number): ChunkHead & { readonly extremes: string | null } {
    const sql = `SELECT ${headColumns}, extremes FROM series_chunk WHERE number = ?`
    return statement(this.db, sql).get(number) as ChunkHead & { readonly extremes: string | null }
  }

  /** Lists the last chunks, the very last one first. */
  listLast(event: number, limit: number): SizedHead[] {
    // The size is known without the text being read.
    const sql = `SELECT ${headColumns}, octet_length(points) AS size FROM series_chunk
      WHERE event = ? ORDER BY first DESC LIMIT +?`
    return statement(this.db, sql).all(event, limit) as SizedHead[]
  }

  /** Lists chunks that begin in a range, in order. */
  listHeads(event: number, from: number, to: number, limit: number): ChunkHead[] {
    const sql = `SELECT ${headColumns} FROM series_chunk WHERE event = ? AND first >= ? AND first < ? ORDER BY first LIMIT +?`
    return statement(this.db, sql).all(event, from, to, limit) as ChunkHead[]
  }

  /** Returns the rows of a chunk as JSON, joined by commas. The chunk must exist. */
  readPoints(number: number): string {
    return column(this.db, 'SELECT points FROM series_chunk WHERE number = ?').get(number) as string
  }

  /** Inserts a chunk, with its summary if it has been computed. */
  insert(event: number, { first, last, count, width, fine, points, summary }: NewChunk): void {
    const sql =
      'INSERT INTO series_chunk (event, first, last, count, width, fine, points) VALUES (?, ?, ?, ?, ?, ?, ?)'
    const { lastInsertRowid } = statement(this.db, sql).run(event, first, last, count, width, fine, points)
    if (summary) this.summarize({ number: Number(lastInsertRowid), last, count }, summary)
  }

  /** Replaces a chunk and its summary. */
  update(
    { number, count: before }: ChunkHead,
    { first, last, count, width, fine, points, summary }: NewChunk
  ): void {
    const sql =
      'UPDATE series_chunk SET first = ?, last = ?, count = ?, width = ?, fine = ?, extremes = NULL, points = ? WHERE number = ?'
    statement(this.db, sql).run(first, last, count, width, fine, points, number)
    if (before >= minLargeRows) statement(this.db, 'DELETE FROM series_summary WHERE chunk = ?').run(number)
    if (summary) this.summarize({ number, last, count }, summary)
  }

  /** Removes a chunk, and its summary with it. */
  remove(number: number): void {
    statement(this.db, 'DELETE FROM series_chunk WHERE number = ?').run(number)
  }

  /** Adds the summary of a chunk that has none. */
  summarize(
    { number, last, count }: Pick<ChunkHead, 'number' | 'last' | 'count'>,
    { extremes, measures, parts }: Summary
  ): void {
    const sql =
      'INSERT INTO series_summary (chunk, last, count, extremes, measures, parts) VALUES (?, ?, ?, ?, ?, ?)'
    statement(this.db, sql).run(number, last, count, extremes, measures, parts)
  }
}
