/** The chunks of series: pieces of text in order of their first deltaTime. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** What is known of a chunk without its text. */
export interface ChunkHead {
  readonly number: number
  readonly first: number
  readonly last: number
  readonly count: number
  /** Cells of each row, deltaTime included. */
  readonly width: number
  /** 1 if some deltaTime is not a whole number of milliseconds. */
  readonly fine: number
}

export interface Chunk extends ChunkHead {
  /** The rows as JSON, joined by commas. */
  readonly points: string
}

/** A chunk that is to be stored. */
export interface NewChunk extends Omit<Chunk, 'number'> {
  /** The rows with the extremes of each column, as JSON; `null` where they have not been looked for. */
  readonly extremes: string | null
}

/** A chunk by its extremes only. */
export type Summary = ChunkHead & Pick<NewChunk, 'extremes'>

const head = 'number, first, last, count, width, fine'
const whole = `${head}, points`

export class ChunkTable {
  constructor(private readonly db: Database) {}

  /** The last chunk that begins at `at` or before. */
  atOrBefore(event: number, at: number): Chunk | undefined {
    const sql = `SELECT ${whole} FROM series_chunk WHERE event = ? AND first <= ? ORDER BY first DESC LIMIT 1`
    return statement(this.db, sql).get(event, at) as Chunk | undefined
  }

  /** The last chunk that begins before `at`. */
  before(event: number, at: number): Chunk | undefined {
    const sql = `SELECT ${whole} FROM series_chunk WHERE event = ? AND first < ? ORDER BY first DESC LIMIT 1`
    return statement(this.db, sql).get(event, at) as Chunk | undefined
  }

  /** The first chunk that begins after `at`. */
  after(event: number, at: number): Chunk | undefined {
    const sql = `SELECT ${whole} FROM series_chunk WHERE event = ? AND first > ? ORDER BY first LIMIT 1`
    return statement(this.db, sql).get(event, at) as Chunk | undefined
  }

  /** Last deltaTime of the last chunk that begins at `at` or before: whether a chunk has to be read at all. */
  endAtOrBefore(event: number, at: number): number | undefined {
    const sql = 'SELECT last FROM series_chunk WHERE event = ? AND first <= ? ORDER BY first DESC LIMIT 1'
    return column(this.db, sql).get(event, at) as number | undefined
  }

  /** Where the first chunk after `at` begins; infinite if there is none. */
  startAfter(event: number, at: number): number {
    const sql = 'SELECT first FROM series_chunk WHERE event = ? AND first > ? ORDER BY first LIMIT 1'
    return (column(this.db, sql).get(event, at) as number | undefined) ?? Infinity
  }

  /** Chunks that begin at `at` or after, in order, without their points. */
  summaries(event: number, at: number, limit: number): Summary[] {
    const sql = `SELECT ${head}, extremes FROM series_chunk WHERE event = ? AND first >= ? ORDER BY first LIMIT +?`
    return statement(this.db, sql).all(event, at, limit) as Summary[]
  }

  /** The last chunks, the very last one first. */
  tail(event: number, limit: number): ChunkHead[] {
    const sql = `SELECT ${head} FROM series_chunk WHERE event = ? ORDER BY first DESC LIMIT +?`
    return statement(this.db, sql).all(event, limit) as ChunkHead[]
  }

  points(number: number): string {
    return column(this.db, 'SELECT points FROM series_chunk WHERE number = ?').get(number) as string
  }

  insert(event: number, { first, last, count, width, fine, extremes, points }: NewChunk): void {
    const sql =
      'INSERT INTO series_chunk (event, first, last, count, width, fine, extremes, points) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'
    statement(this.db, sql).run(event, first, last, count, width, fine, extremes, points)
  }

  update(number: number, { first, last, count, width, fine, extremes, points }: NewChunk): void {
    const sql =
      'UPDATE series_chunk SET first = ?, last = ?, count = ?, width = ?, fine = ?, extremes = ?, points = ? WHERE number = ?'
    statement(this.db, sql).run(first, last, count, width, fine, extremes, points, number)
  }

  remove(number: number): void {
    statement(this.db, 'DELETE FROM series_chunk WHERE number = ?').run(number)
  }
}
