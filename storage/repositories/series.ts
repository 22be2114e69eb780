/** The high-frequency series of one user: points below their holder events. (docs/spec/series.md#writing-points) */
import type { Database } from 'better-sqlite3'
import { ChunkTable } from '../series/chunks.js'
import { nextPage, previousPage, type Form, type PointPage, type Range } from '../series/page.js'
import type { Row } from '../series/rows.js'
import { Sampler, type Sampling } from '../series/sampler.js'
import { looseLimit, SeriesWriter } from '../series/write.js'
import { column, statement } from '../sqlite/statements.js'
import { mapped, type Steps } from '../steps.js'

/** An event, as far as its series is concerned. */
export interface Holder {
  /** By which the series refers to the event. */
  readonly number: number
  readonly id: string
  readonly type: string
  readonly time: number
  readonly isTrashed: boolean
  /** Numbers of its streams. */
  readonly streams: readonly number[]
}

/** Points to write. */
export interface Points {
  /** Names of the cells after deltaTime: those that have a value somewhere. */
  readonly columns: readonly string[]
  /** By deltaTime, ascending, none twice. */
  readonly rows: readonly Row[]
}

/** Who writes, and when (seconds). */
export interface Writing {
  readonly writer: string
  readonly written: number
}

/** A holder event that does not show the last write to its series yet. */
export interface Behind extends Writing {
  readonly number: number
  readonly id: string
  /** Greatest deltaTime. */
  readonly until: number
}

interface SeriesRow {
  readonly columns: string
  readonly until: number
  readonly loose: number
}

export class SeriesRepository {
  readonly #chunks: ChunkTable

  #mayBeBehind = true

  constructor(private readonly db: Database) {
    this.#chunks = new ChunkTable(db)
  }

  /** Whether a holder may be behind: true at first, since the last process may have ended before it caught up. */
  get mayBeBehind(): boolean {
    return this.#mayBeBehind
  }

  /** Any event, whether it holds a series or not. */
  findHolder(id: string): Holder | undefined {
    const sql = `SELECT e.number, e.id, t.name AS type, e.time, e.trashed, e.stream, e.others
      FROM event e JOIN event_type t ON t.number = e.type WHERE e.id = ?`
    const row = statement(this.db, sql).get(id) as
      (Holder & { trashed: number; stream: number; others: string | null }) | undefined
    if (!row) return undefined
    const { number, type, time, trashed, stream, others } = row
    const streams = others === null ? [stream] : [stream, ...(JSON.parse(others) as number[])]
    return { number, id, type, time, isTrashed: trashed !== 0, streams }
  }

  /** Names of the columns that hold values, in the order of the cells of a row; `undefined` while there are no points. */
  columns(event: number): string[] | undefined {
    const columns = column(this.db, 'SELECT columns FROM series WHERE event = ?').get(event)
    return columns === undefined ? undefined : (JSON.parse(columns as string) as string[])
  }

  /** The least and the greatest deltaTime of a series that has points. */
  bounds(event: number): { first: number; until: number } | undefined {
    const sql =
      'SELECT min(first) AS first, (SELECT until FROM series WHERE event = @event) AS until FROM series_chunk WHERE event = @event'
    const { first, until } = statement(this.db, sql).get({ event }) as { first: number | null; until: number }
    return first === null ? undefined : { first, until }
  }

  /** Writes points. Those of a deltaTime that is there are written over it, cell by cell. */
  *add(event: number, { columns, rows }: Points, writing: Writing): Steps<void> {
    if (rows.length === 0) return
    const known = statement(this.db, 'SELECT columns, until, loose FROM series WHERE event = ?').get(
      event
    ) as SeriesRow | undefined
    const before = known ? (JSON.parse(known.columns) as string[]) : []
    const layout = [...before, ...columns.filter(name => !before.includes(name))]
    if (!known) this.#insert(event, layout, writing)
    const laid = yield* laidOut(rows, columns, layout)
    const end = known ? startAfter(laid, known.until) : 0
    const writer = new SeriesWriter(this.#chunks, event, layout.length + 1)
    let loose = known?.loose ?? 0
    if (end > 0) yield* writer.merge(end < laid.length ? laid.slice(0, end) : laid)
    if (end < laid.length) loose += yield* writer.append(end > 0 ? laid.slice(end) : laid)
    if (loose >= looseLimit) loose = writer.compact()
    const until = Math.max(known?.until ?? 0, laid.at(-1)![0])
    this.#update(event, layout, until, loose, writing)
  }

  /** The next rows of a range, ascending. */
  next(event: number, range: Range, form: Form, limit?: number): PointPage {
    return nextPage(this.#chunks, event, range, form, limit)
  }

  /** The last rows of a range, descending. */
  previous(event: number, range: Range, form: Form, limit?: number): PointPage {
    return previousPage(this.#chunks, event, range, form, limit)
  }

  /** What {@link sample} goes on with: it stays good while the file is closed and opened again. */
  sampler(sampling: Sampling): Sampler {
    return new Sampler(sampling)
  }

  /** The next rows of a sample. */
  sample(sampler: Sampler): ReturnType<Sampler['next']> {
    return sampler.next(this.#chunks)
  }

  /** Holders that do not show the last write yet. */
  listBehind(limit: number): Behind[] {
    if (!this.#mayBeBehind) return []
    const sql = `SELECT s.event AS number, e.id, s.until, s.written, s.writer
      FROM series s INDEXED BY series_behind CROSS JOIN event e ON e.number = s.event WHERE s.behind = 1 LIMIT +?`
    const behind = statement(this.db, sql).all(limit) as Behind[]
    if (behind.length === 0) this.#mayBeBehind = false
    return behind
  }

  /** Notes that the holder shows the last write now. */
  caughtUp(event: number): void {
    statement(this.db, 'UPDATE series SET behind = 0 WHERE event = ?').run(event)
  }

  /** Drops what is remembered: somebody else may have written. */
  forget(): void {
    this.#mayBeBehind = true
  }

  #insert(event: number, columns: readonly string[], { written, writer }: Writing): void {
    const sql =
      'INSERT INTO series (event, columns, until, loose, written, writer, behind) VALUES (?, ?, 0, 0, ?, ?, 1)'
    statement(this.db, sql).run(event, JSON.stringify(columns), written, writer)
  }

  #update(
    event: number,
    columns: readonly string[],
    until: number,
    loose: number,
    { written, writer }: Writing
  ): void {
    const sql = `UPDATE series SET columns = ?, until = ?, loose = ?, written = ?, writer = ?, behind = 1
      WHERE event = ?`
    statement(this.db, sql).run(JSON.stringify(columns), until, loose, written, writer, event)
    this.#mayBeBehind = true
  }
}

/** Rows with their cells where the layout has them. */
function* laidOut(
  rows: readonly Row[],
  columns: readonly string[],
  layout: readonly string[]
): Steps<readonly Row[]> {
  if (columns.length === layout.length && columns.every((name, index) => name === layout[index])) return rows
  const places = layout.map(name => columns.indexOf(name) + 1)
  return yield* mapped(rows, row => [
    row[0],
    ...places.map(place => (place === 0 ? null : (row[place] ?? null)))
  ])
}

/** Index of the first row after a time. */
function startAfter(rows: readonly Row[], time: number): number {
  if (rows[0]![0] > time) return 0
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rows[middle]![0] <= time) low = middle + 1
    else high = middle
  }
  return low
}
