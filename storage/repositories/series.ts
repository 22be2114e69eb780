/** The high-frequency series of one user: points below their holder events. (docs/spec/series.md#writing-points) */
import type { Database } from 'better-sqlite3'
import { ChunkTable } from '../series/chunks.js'
import type { ChunkWalk, RowSink } from '../series/chunk-walk.js'
import { SeriesExtents, type SeriesExtent } from '../series/series-extents.js'
import {
  nextBytes,
  nextDouble,
  nextPage,
  previousPage,
  type RowFormat,
  type PointBytes,
  type PointPage,
  type Range
} from '../series/page.js'
import { removePoints, removeTimes, type Removal } from '../series/remove.js'
import { type MergeCheck, type Row, arrangeRows, findIndexAfter } from '../series/rows.js'
import { Sampler, type SampledPage, type SampleOptions } from '../series/sampler.js'
import { MissingSummaries } from '../series/missing-summaries.js'
import { maxLooseChunks, SeriesWriter } from '../series/write.js'
import { column, statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'

/** The properties of an event that its series needs. `number`: by which the series refers to the event. */
export interface Holder {
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
  /** Names of the cells after deltaTime: those that have a value in any row. */
  readonly columns: readonly string[]
  /** By deltaTime, ascending and distinct. */
  readonly rows: readonly Row[]
}

/** Who writes, when (seconds), and what checks rows of which stored cells are kept. */
interface WriteInfo {
  readonly writer: string
  readonly written: number
  readonly check?: MergeCheck
}

/** A holder event that does not reflect the last write to its series yet. */
export interface OutdatedHolder extends WriteInfo {
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

/** Number of chunks removed in one write. */
const maxRemovedChunks = 64

const selectHolder = `SELECT e.number, e.id, t.name AS type, e.time, e.trashed, e.stream, e.others
  FROM event e JOIN event_type t ON t.number = e.type WHERE`
const holderById = `${selectHolder} e.id = ?`
const holderByNumber = `${selectHolder} e.number = ?`

export class SeriesRepository {
  readonly #chunks: ChunkTable
  readonly #extents = new SeriesExtents()
  #mayHaveOutdated = true
  #revision = 0
  readonly #missing = new MissingSummaries()

  constructor(private readonly db: Database) {
    this.#chunks = new ChunkTable(db)
  }

  /** True if a holder may be outdated: initially, because the last process may have ended before it updated all holders. */
  get mayHaveOutdated(): boolean {
    return this.#mayHaveOutdated
  }

  /** Increases when points are written or removed, except with their event. */
  get revision(): number {
    return this.#revision
  }

  /** Finds any event by its id or number, whether or not it holds a series. */
  findHolder(event: string | number): Holder | undefined {
    const row = statement(this.db, typeof event === 'number' ? holderByNumber : holderById).get(event) as
      | (Holder & { trashed: number; stream: number; others: string | null })
      | undefined
    if (!row) return undefined
    const { id, number, type, time, trashed, stream, others } = row
    const streams = others === null ? [stream] : [stream, ...(JSON.parse(others) as number[])]
    return { number, id, type, time, isTrashed: trashed !== 0, streams }
  }

  /** Returns the names of the columns that hold values, in the order of cells; `undefined` while there are no points. */
  getColumns(event: number): string[] | undefined {
    const columns = column(this.db, 'SELECT columns FROM series WHERE event = ?').get(event)
    return columns === undefined ? undefined : (JSON.parse(columns as string) as string[])
  }

  /** Returns the least and the greatest deltaTime of a series; `undefined` if it has no points. */
  getBounds(event: number): { first: number; until: number } | undefined {
    const sql =
      'SELECT min(first) AS first, (SELECT until FROM series WHERE event = @event) AS until FROM series_chunk WHERE event = @event'
    const { first, until } = statement(this.db, sql).get({ event }) as { first: number | null; until: number }
    return first === null ? undefined : { first, until }
  }

  /** Returns the number and time of an event, and the greatest deltaTime of its series; `undefined` if there are no points. */
  getEnd(id: string): { number: number; time: number; until: number } | undefined {
    const sql = 'SELECT e.number, e.time, s.until FROM event e JOIN series s ON event = e.number WHERE id = ?'
    return statement(this.db, sql).get(id) as { number: number; time: number; until: number } | undefined
  }

  /** Returns the size of the chunk that a point with this deltaTime belongs to, in bytes; 0 if no chunk begins at or before it. */
  getChunkSize(event: number, deltaTime: number): number {
    return this.#chunks.findSizeAtOrBefore(event, deltaTime) ?? 0
  }

  /** Writes points. Points with an existing deltaTime are merged cell by cell: `null` leaves a cell as it is. New columns are added. The holder is outdated afterwards. */
  *add(event: number, { columns, rows }: Points, writeInfo: WriteInfo): Steps<void> {
    if (rows.length === 0) return
    const stored = statement(this.db, 'SELECT columns, until, loose FROM series WHERE event = ?').get(
      event
    ) as SeriesRow | undefined
    const before = stored ? (JSON.parse(stored.columns) as string[]) : []
    const layout = [...before, ...columns.filter(name => !before.includes(name))]
    if (!stored) this.#insert(event, layout, writeInfo)
    const arranged = yield* arrangeRows(rows, columns, layout)
    const end = stored ? findIndexAfter(arranged, stored.until) : 0
    const writer = new SeriesWriter(this.#chunks, event, layout.length + 1, writeInfo.check)
    let loose = stored?.loose ?? 0
    if (end > 0) yield* writer.merge(end < arranged.length ? arranged.slice(0, end) : arranged)
    if (end < arranged.length) loose += yield* writer.append(end > 0 ? arranged.slice(end) : arranged)
    if (loose >= maxLooseChunks) loose = writer.compact()
    const until = Math.max(stored?.until ?? 0, arranged.at(-1)![0])
    this.#update(event, layout, until, loose, writeInfo)
  }

  /** Reads the points from one deltaTime to another, both inclusive; `undefined` if they lie in more than `maxChunks` chunks. */
  readWithin(event: number, from: number, to: number, maxChunks: number): readonly Row[] | undefined {
    const previous = this.#chunks.findAtOrBefore(event, from)
    const after =
      previous && previous.first >= from ? [] : previous && previous.last >= from ? [previous] : []
    const heads = this.#chunks.listHeads(event, from, nextDouble(to), maxChunks + 1)
    if (heads.length + after.length > maxChunks) return undefined
    const texts = after.map(({ points }) => points)
    texts.push(...heads.map(({ number }) => this.#chunks.readPoints(number)))
    return texts
      .flatMap(points => JSON.parse(`[${points}]`) as Row[])
      .filter(([time]) => time >= from && time <= to)
  }

  /** Returns whether the points of a range lie in more chunks than {@link remove} removes at once. */
  spansManyChunks(event: number, { from, to }: Range): boolean {
    return this.#chunks.listHeads(event, from, to, maxRemovedChunks + 1).length > maxRemovedChunks
  }

  /** Removes the first points of a range, from a limited number of chunks, which takes a few milliseconds. */
  remove(event: number, range: Range, { written, writer }: WriteInfo): Removal {
    const removal = removePoints(this.#chunks, event, range, maxRemovedChunks)
    if (removal.count > 0) this.#updateEnd(event, written, writer)
    return removal
  }

  /** Removes the points with these deltaTimes, which lie from `first` to `last`, both inclusive. */
  removeThrough(
    event: number,
    { first, last }: { readonly first: number; readonly last: number },
    times: ReadonlySet<number>,
    { written, writer }: WriteInfo
  ): void {
    if (removeTimes(this.#chunks, event, { from: first, to: nextDouble(last) }, times) > 0)
      this.#updateEnd(event, written, writer)
  }

  /** Removes the columns of a series that has no points any more. */
  removeIfEmpty(event: number): void {
    if (this.#chunks.listLast(event, 1).length > 0) return
    statement(this.db, 'DELETE FROM series WHERE event = ?').run(event)
  }

  /** Finds the last write if the holder does not reflect it yet; `undefined` if it does, or there are no points. */
  findOutdated(event: number): OutdatedHolder | undefined {
    const sql = `SELECT s.event AS number, e.id, s.until, s.written, s.writer
      FROM series s JOIN event e ON e.number = s.event WHERE s.event = ? AND s.behind = 1`
    return statement(this.db, sql).get(event) as OutdatedHolder | undefined
  }

  /** Reads the next rows of a range, ascending. */
  next(event: number, range: Range, form: RowFormat, limit?: number): PointPage {
    return nextPage(this.#chunks, event, range, form, limit)
  }

  /** Reads the next rows like {@link next}, but as bytes; `undefined` if that is not possible. */
  nextBytes(event: number, range: Range, form: RowFormat, limit?: number): PointBytes | undefined {
    return nextBytes(this.#chunks, event, range, form, limit)
  }

  /** Reads the last rows of a range, descending. */
  previous(event: number, range: Range, form: RowFormat, limit?: number): PointPage {
    return previousPage(this.#chunks, event, range, form, limit)
  }

  /** Creates the state of a sample for {@link sample}. It stays valid while the file is closed and reopened. */
  createSampler(sampling: SampleOptions): Sampler {
    return new Sampler(sampling)
  }

  /** Reads the next rows of a sample. */
  sample(sampler: Sampler): SampledPage {
    const page = sampler.next(this.#chunks)
    this.#missing.record(sampler.unsummarized)
    return page
  }

  /** Reads the next rows of a range to be aggregated. */
  walk(walk: ChunkWalk, sink: RowSink): void {
    walk.next(this.#chunks, sink)
    this.#missing.record(walk.unsummarized)
  }

  /** Returns the number of points of a series, and the deltaTimes of the first and the last; `undefined` if it has none. */
  getExtent(event: number): SeriesExtent | undefined {
    return this.#extents.get(this.db, event)
  }

  /** True if samples would have been faster with missing summaries, which the next {@link summarize} adds. */
  get lacksSummaries(): boolean {
    return this.#missing.size > 0
  }

  /** Adds missing summaries of a few chunks. */
  summarize(): void {
    this.#missing.add(this.#chunks)
  }

  /** Lists holders that do not reflect the last write yet. */
  listOutdated(limit: number): OutdatedHolder[] {
    if (!this.#mayHaveOutdated) return []
    const sql = `SELECT s.event AS number, e.id, s.until, s.written, s.writer
      FROM series s INDEXED BY series_behind CROSS JOIN event e ON e.number = s.event WHERE s.behind = 1 LIMIT +?`
    const behind = statement(this.db, sql).all(limit) as OutdatedHolder[]
    if (behind.length === 0) this.#mayHaveOutdated = false
    return behind
  }

  /** Records that the holder reflects the last write. */
  markUpToDate(event: number): void {
    statement(this.db, 'UPDATE series SET behind = 0 WHERE event = ?').run(event)
  }

  /** Clears the cache: another connection may have written. */
  invalidate(): void {
    this.#mayHaveOutdated = true
    this.#revision++
    this.#extents.invalidate()
  }

  #updateEnd(event: number, written: number, writer: string): void {
    const [last] = this.#chunks.listLast(event, 1)
    const sql = 'UPDATE series SET until = ?, written = ?, writer = ?, behind = 1 WHERE event = ?'
    statement(this.db, sql).run(last?.last ?? 0, written, writer, event)
    this.#recordWrite(event)
  }

  #insert(event: number, columns: readonly string[], { written, writer }: WriteInfo): void {
    const sql =
      'INSERT INTO series (event, columns, until, loose, written, writer, behind) VALUES (?, ?, 0, 0, ?, ?, 1)'
    statement(this.db, sql).run(event, JSON.stringify(columns), written, writer)
  }

  #update(
    event: number,
    columns: readonly string[],
    until: number,
    loose: number,
    { written, writer }: WriteInfo
  ): void {
    const sql = `UPDATE series SET columns = ?, until = ?, loose = ?, written = ?, writer = ?, behind = 1
      WHERE event = ?`
    statement(this.db, sql).run(JSON.stringify(columns), until, loose, written, writer, event)
    this.#recordWrite(event)
  }

  #recordWrite(event: number): void {
    this.#mayHaveOutdated = true
    this.#revision++
    this.#extents.discard(event)
  }
}
