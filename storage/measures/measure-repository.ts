/** The measures of one user: reads events and series together. (docs/api/measure-methods.md) */
import type { Database } from 'better-sqlite3'
import { readContents, type ContentsQuery } from './contents-run.js'
import { collectFacts, readContent, type MeasureFact, type MeasureFactsQuery } from './facts-run.js'
import type { Row } from '../series/rows.js'
import { MeasureStreams, type MeasureScope } from './measure-streams.js'
import { raw } from '../sqlite/statements.js'
import { MeasureRun, type MeasureStore } from './reading.js'
import { aggregateValues, type SourceValues, type ValuesQuery } from './values-run.js'
import { readInTransaction } from '../sqlite/read-in-transaction.js'
import type { EventRepository } from '../repositories/events.js'
import type { SeriesRepository } from '../repositories/series.js'

/** Maximum number of points in which the last value of a series is looked for. */
const maxLastPoints = 100

export class MeasureRepository {
  constructor(
    private readonly db: Database,
    private readonly events: EventRepository,
    private readonly series: SeriesRepository
  ) {}

  /** Starts aggregating numbers. Nothing is read yet. */
  createValues(query: ValuesQuery): MeasureRun<SourceValues[]> {
    return new MeasureRun(reading => aggregateValues(reading, query))
  }

  /** Starts reading contents. Nothing is read yet. */
  createContents(query: ContentsQuery): MeasureRun<true> {
    return new MeasureRun(reading => readContents(reading, query))
  }

  /** Starts collecting facts. Nothing is read yet. */
  createFacts(query: MeasureFactsQuery): MeasureRun<MeasureFact[]> {
    return new MeasureRun(reading => collectFacts(reading, query))
  }

  /** Continues a run for a few milliseconds. Returns its result once it is complete. */
  next<T>(run: MeasureRun<T>): T | undefined {
    return readInTransaction(this.db, () => run.next(this.#store))
  }

  /** Returns whether the last event or point of a fact is still as it was found: it may have changed since. */
  isCurrent(scope: MeasureScope, { last, lastEvent, measure, source, type }: MeasureFact): boolean {
    const sql = `SELECT e.time, t.name FROM event e JOIN event_type t ON t.number = e.type
      WHERE e.number = ? AND e.trashed = 0`
    const row = raw(this.db, sql).get(lastEvent) as [time: number, type: string] | undefined
    const extent = type.startsWith('series:') ? this.series.getExtent(lastEvent)?.until : 0
    if (row?.[1] !== type || extent === undefined || row[0] + extent !== last) return false
    const found = new MeasureStreams(scope).assignEvent(this.db, lastEvent, type.replace(/^series:/, ''))
    return found?.measure === measure && found.source === source
  }

  /** Returns the content of an event (its number) as JSON, if it is short, and its end, if it has one. */
  readContent(event: number): { content: string | undefined; until: number | undefined } {
    return readContent({ store: this.#store }, event)
  }

  /** Returns the last points of a series, with all columns and exact deltaTimes, the last one first. */
  readLastPoints(event: number): { columns: readonly string[]; rows: readonly Row[] } {
    const columns = this.series.getColumns(event) ?? []
    const width = columns.length + 1
    const range = { from: 0, to: Infinity }
    const { text } = this.series.previous(event, range, { width, isFine: true }, maxLastPoints)
    return { columns, rows: JSON.parse(`[${text}]`) as Row[] }
  }

  get #store(): MeasureStore {
    const { facts, summableRanges } = this.events.links
    return { db: this.db, facts, summableRanges, series: this.series }
  }
}
