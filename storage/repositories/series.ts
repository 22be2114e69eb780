/** The high-frequency series of one user: points below their holder events. (docs/spec/series.md#writing-points) */
import type { Database } from 'better-sqlite3'
import { ChunkTable } from '../series/chunks.js'
import {
  nextBytes,
  nextPage,
  previousPage,
  type Form,
  type PointBytes,
  type PointPage,
  type Range
} from '../series/page.js'
import { removePoints, removeTimes, type Removal } from '../series/remove.js'
import type { Row } from '../series/rows.js'
import { Sampler, type SampledPage, type Sampling } from '../series/sampler.js'
import { smallSize, summarized } from '../series/summary.js'
import { looseLimit, SeriesWriter } from '../series/write.js'
import { laidOut, startAfter } from '../series/layout.js'
import { column, statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'

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

/** Chunks that wait for their summaries at most: others are met by the next sample. */
const mostUnsummarized = 16_384
/** Chunks that are summarized in one write: some milliseconds. */
const chunksSummarized = 8
/** Chunks that are removed in one write. */
const chunksRemoved = 64

const holderOf = `SELECT e.number, e.id, t.name AS type, e.time, e.trashed, e.stream, e.others
  FROM event e JOIN event_type t ON t.number = e.type WHERE`
const holderById = `${holderOf} e.id = ?`
const holderByNumber = `${holderOf} e.number = ?`

export class SeriesRepository {
  readonly #chunks: ChunkTable

  #mayBeBehind = true
  #revision = 0

  /** Numbers of large chunks without a summary that samples have had to read. */
  readonly #unsummarized = new Set<number>()

  constructor(private readonly db: Database) {
    this.#chunks = new ChunkTable(db)
  }

  /** Whether a holder may be behind: true at first, since the last process may have ended before it caught up. */
  get mayBeBehind(): boolean {
    return this.#mayBeBehind
  }

  /** Rises when points are written or removed, unless by the deletion of their event. */
  get revision(): number {
    return this.#revision
  }

  /** Any event, by its id or number, whether it holds a series or not. */
  findHolder(event: string | number): Holder | undefined {
    const row = statement(this.db, typeof event === 'number' ? holderByNumber : holderById).get(event) as
      | (Holder & { trashed: number; stream: number; others: string | null })
      | undefined
    if (!row) return undefined
    const { id, number, type, time, trashed, stream, others } = row
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

  /** The time of an event, and the greatest deltaTime of its series; nothing where there is no such event, or no points. */
  endOf(id: string): { time: number; until: number } | undefined {
    const sql = 'SELECT e.time, s.until FROM event e JOIN series s ON s.event = e.number WHERE e.id = ?'
    return statement(this.db, sql).get(id) as { time: number; until: number } | undefined
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

  /** The points from one deltaTime to another, both inclusive; `undefined` if they lie in more than `most` chunks. */
  within(event: number, from: number, to: number, most: number): readonly Row[] | undefined {
    const begun = this.#chunks.atOrBefore(event, from)
    const after = begun && begun.first >= from ? [] : begun && begun.last >= from ? [begun] : []
    const heads = this.#chunks.heads(event, from, justAfter(to), most + 1)
    if (heads.length + after.length > most) return undefined
    const texts = [
      ...after.map(({ points }) => points),
      ...heads.map(({ number }) => this.#chunks.points(number))
    ]
    return texts
      .flatMap(points => JSON.parse(`[${points}]`) as Row[])
      .filter(([time]) => time >= from && time <= to)
  }

  /** Whether points of a range lie in more chunks than {@link remove} takes at once. */
  areMany(event: number, { from, to }: Range): boolean {
    return this.#chunks.heads(event, from, to, chunksRemoved + 1).length > chunksRemoved
  }

  /** Removes the first points of a range, of some chunks at most: some milliseconds. */
  remove(event: number, range: Range, { written, writer }: Writing): Removal {
    const removal = removePoints(this.#chunks, event, range, chunksRemoved)
    if (removal.count > 0) this.#shortened(event, written, writer)
    return removal
  }

  /** Removes the points with some deltaTimes, which lie from `first` to `last`, both inclusive. */
  removeThrough(
    event: number,
    { first, last }: { readonly first: number; readonly last: number },
    times: ReadonlySet<number>,
    { written, writer }: Writing
  ): void {
    if (removeTimes(this.#chunks, event, { from: first, to: justAfter(last) }, times) > 0)
      this.#shortened(event, written, writer)
  }

  /** Forgets the columns of a series that has no points any more. */
  tidy(event: number): void {
    if (this.#chunks.tail(event, 1).length > 0) return
    statement(this.db, 'DELETE FROM series WHERE event = ?').run(event)
  }

  /** What the holder does not show yet; `undefined` if it shows all, or there are no points. */
  findBehind(event: number): Behind | undefined {
    const sql = `SELECT s.event AS number, e.id, s.until, s.written, s.writer
      FROM series s JOIN event e ON e.number = s.event WHERE s.event = ? AND s.behind = 1`
    return statement(this.db, sql).get(event) as Behind | undefined
  }

  /** The next rows of a range, ascending. */
  next(event: number, range: Range, form: Form, limit?: number): PointPage {
    return nextPage(this.#chunks, event, range, form, limit)
  }

  /** As {@link next}, as bytes, where the next rows can be read so. */
  nextBytes(event: number, range: Range, form: Form, limit?: number): PointBytes | undefined {
    return nextBytes(this.#chunks, event, range, form, limit)
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
  sample(sampler: Sampler): SampledPage {
    const page = sampler.next(this.#chunks)
    for (const chunk of sampler.unsummarized)
      if (this.#unsummarized.size < mostUnsummarized) this.#unsummarized.add(chunk)
    return page
  }

  /** Whether samples would have been faster with summaries that are not there: the next {@link summarize} makes them. */
  get lacksSummaries(): boolean {
    return this.#unsummarized.size > 0
  }

  /** Makes summaries that were missed, of a few chunks at most. */
  summarize(): void {
    for (const number of [...this.#unsummarized].slice(0, chunksSummarized)) {
      this.#unsummarized.delete(number)
      const chunk = this.#chunks.find(number)
      if (!chunk || chunk.count < smallSize || this.#chunks.isSummarized(number)) continue
      const { summary } = summarized(JSON.parse(`[${chunk.points}]`) as Row[])
      if (summary) this.#chunks.summarize(chunk, summary)
    }
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
    this.#revision++
  }

  #shortened(event: number, written: number, writer: string): void {
    const [last] = this.#chunks.tail(event, 1)
    const sql = 'UPDATE series SET until = ?, written = ?, writer = ?, behind = 1 WHERE event = ?'
    statement(this.db, sql).run(last?.last ?? 0, written, writer, event)
    this.#mayBeBehind = true
    this.#revision++
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
    this.#revision++
  }
}

/** The least number that is greater: for ranges that include their ends. */
function justAfter(value: number): number {
  return value + Math.max(Number.MIN_VALUE, Math.abs(value) * Number.EPSILON)
}
