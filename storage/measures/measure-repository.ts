/** The measures of one user: reads events and series together. (docs/api/measure-methods.md) */
import type { Database } from 'better-sqlite3'
import { readContents, type ContentsQuery } from './contents-run.js'
import { collectFacts, countData, type MeasureFact, type MeasureFactsQuery } from './facts-run.js'
import { MeasureRun, type MeasureStore } from './reading.js'
import { aggregateValues, type SourceValues, type ValuesQuery } from './values-run.js'
import { readInTransaction } from '../sqlite/read-in-transaction.js'
import type { EventRepository } from '../repositories/events.js'
import type { SeriesRepository } from '../repositories/series.js'

export class MeasureRepository {
  constructor(
    private readonly db: Database,
    private readonly events: EventRepository,
    private readonly series: SeriesRepository
  ) {}

  /** Starts aggregating numbers; nothing is read before the first step. */
  createValues(query: ValuesQuery): MeasureRun<SourceValues[]> {
    return new MeasureRun(reading => aggregateValues(reading, query))
  }

  /**
   * Starts reading contents; nothing is read before the first step. If the sources have to be ordered, the result is the
   * number of events and points of each.
   */
  createContents(query: ContentsQuery): MeasureRun<ReadonlyMap<number, number>> {
    const { measure, scope, types } = query
    const sources = new Set<number>()
    const take: ContentsQuery['take'] = content => {
      sources.add(content.source)
      query.take(content)
    }
    return new MeasureRun(function* (reading) {
      yield* readContents(reading, { ...query, take })
      return yield* countData(
        reading,
        { scope, measure, measureTypes: types.map(({ name }) => name) },
        sources
      )
    })
  }

  /** Starts reading contents of sources in no particular order. Nothing is read yet. */
  createReadings(query: ContentsQuery): MeasureRun<true> {
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

  get #store(): MeasureStore {
    const { facts, summableRanges } = this.events.links
    return { db: this.db, facts, summableRanges, series: this.series }
  }
}
