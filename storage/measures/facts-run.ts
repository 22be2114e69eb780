/** Collects what there is of each measure: counts, first and last times, by source and type. */
import { raw } from '../sqlite/statements.js'
import { LaneRows } from '../event-values/lane-rows.js'
import type { LaneFacts } from '../event-values/lane-facts.js'
import { findCreated } from './created-run.js'
import { countLatest, readLatestData, type LatestData } from './latest-data.js'
import { MeasureStreams, type Assignment, type MeasureScope } from './measure-streams.js'
import type { MeasureSteps, Reading } from './reading.js'

/** The data of one type in a source. */
export interface MeasureFact extends Assignment {
  /** As stored, with `series:` for series. */
  readonly type: string
  /** Number of events, or of points of series. */
  readonly count: number
  /** Times of the first and the last, in seconds. */
  readonly first: number
  readonly last: number
  /** Number of the last event, or of the holder of the last point. */
  readonly lastEvent: number
  /**
   * The data of the last event, if no type or source has later data of the measure. Empty if the event changed again and
   * again while it was read.
   */
  readonly latest?: LatestData
}

export interface MeasureFactsQuery {
  readonly scope: MeasureScope
  /** Returns whether the type belongs to any of the requested measures. Without `series:`. */
  isRequested(type: string): boolean
  /** Time in seconds: only what has been created since then counts. */
  readonly createdSince?: number | undefined
}

/** What is counted for the order of sources. */
export interface CountQuery {
  readonly scope: MeasureScope
  readonly measure: string
  /** All types of the measure, without `series:`. */
  readonly measureTypes: readonly string[]
}

interface Added {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly lastEvent: number
}

type RawHolder = [number: number, time: number, stream: number, others: string | null]

const seriesPrefix = 'series:'
/** Values of about 150 bytes for which a fact takes memory, besides its latest data. */
const valuesPerFact = 2
const holdersPerRead = 256
/** Facts that one step visits. There is one for each type in each stream. */
const factsPerStep = 1000
/** How often data that changes in the meantime is looked for again. */
const maxRepetitions = 20
const holdersSql = `SELECT number, time, stream, others FROM event INDEXED BY event_type_time
  WHERE type = ? AND trashed = 0 AND (time > ? OR time = ? AND number > ?) ORDER BY time, number LIMIT ${holdersPerRead}`

/** Returns the facts of all measures, in no particular order. */
export function* collectFacts(reading: Reading, query: MeasureFactsQuery): MeasureSteps<MeasureFact[]> {
  return yield* new FactsCollector(reading, query).collect()
}

/**
 * Counts all events and points of a measure in sources that the user has not ordered, for their order. Returns nothing
 * unless there are several of them.
 */
export function* countData(
  reading: Reading,
  { measure, measureTypes, scope }: CountQuery,
  sources: Iterable<number>
): MeasureSteps<ReadonlyMap<number, number>> {
  const unordered = [...sources].filter(stream => scope.getRank(measure, stream) === Infinity)
  if (unordered.length < 2) return new Map()
  const query = { scope, isRequested: (type: string) => measureTypes.includes(type) }
  return yield* new FactsCollector(reading, query).count(measure, unordered)
}

class FactsCollector {
  readonly #streams: MeasureStreams
  readonly #facts = new Map<string, MeasureFact>()
  readonly #heldBefore: number
  /** Names of requested types by number. */
  readonly #events = new Map<number, string>()

  constructor(
    private readonly reading: Reading,
    private readonly query: MeasureFactsQuery
  ) {
    this.#streams = new MeasureStreams(query.scope, reading)
    this.#heldBefore = reading.held
  }

  *collect(): MeasureSteps<MeasureFact[]> {
    const series = this.#findTypes()
    const { createdSince } = this.query
    if (createdSince === undefined) {
      yield* this.#collectEvents()
      for (const [name, number] of series) yield* this.#collectSeries(number, name)
    } else yield* this.#collectCreated(series, createdSince)
    yield* this.#readLatest(series)
    const found = [...this.#facts.values()]
    this.reading.held = found.reduce((sum, fact) => sum + countFact(fact), this.#heldBefore)
    return found
  }

  /** Counts events and points of a measure by source. */
  *count(measure: string, sources: readonly number[]): MeasureSteps<ReadonlyMap<number, number>> {
    const series = this.#findTypes()
    for (const stream of sources) {
      yield* this.#collectStream(stream)
      yield
    }
    for (const [name, number] of series) yield* this.#collectSeries(number, name)
    const counts = new Map<number, number>()
    for (const { count, measure: of, source } of this.#facts.values())
      if (of === measure) counts.set(source, (counts.get(source) ?? 0) + count)
    this.reading.held = this.#heldBefore
    return counts
  }

  /** Finds the requested types in the file. Returns the types of series. */
  #findTypes(): Map<string, number> {
    const series = new Map<string, number>()
    const sql = 'SELECT number, name FROM event_type'
    for (const [number, name] of raw(this.reading.store.db, sql).all() as [number, string][])
      if (!name.startsWith(seriesPrefix)) {
        if (this.query.isRequested(name)) this.#events.set(number, name)
      } else if (this.query.isRequested(name.slice(seriesPrefix.length))) series.set(name, number)
    return series
  }

  /** Reads the latest data of each measure. What has changed since it was found is looked for again. */
  *#readLatest(series: ReadonlyMap<string, number>): MeasureSteps<void> {
    let repetitions = 0
    for (;;) {
      const unread = yield* this.#listUnread()
      if (unread.length === 0) return
      for (const fact of unread) {
        const latest = readLatestData(this.reading.store, this.#streams, fact)
        if (!latest && this.query.createdSince === undefined && repetitions++ < maxRepetitions) {
          yield* this.#collectAgain(fact, series.get(fact.type))
          break
        }
        this.#set(formatKey(fact, fact.type), { ...fact, latest: latest ?? {} })
        // Points may be read from long texts.
        yield
      }
    }
  }

  /** Lists the facts that are the latest of their measure, and whose data has not been read. */
  *#listUnread(): MeasureSteps<MeasureFact[]> {
    const newest = new Map<string, { last: number; facts: MeasureFact[] }>()
    let count = 0
    for (const fact of this.#facts.values()) {
      const known = newest.get(fact.measure)
      if (!known || known.last < fact.last) newest.set(fact.measure, { last: fact.last, facts: [fact] })
      else if (known.last === fact.last) known.facts.push(fact)
      if (++count % factsPerStep === 0) yield
    }
    return [...newest.values()].flatMap(({ facts }) => facts.filter(({ latest }) => !latest))
  }

  /** Collects the data of a stream again, or of one type of series. */
  *#collectAgain({ source, type }: MeasureFact, seriesType: number | undefined): MeasureSteps<void> {
    for (const [key, fact] of this.#facts)
      if (seriesType === undefined ? isOfEvents(fact) && fact.source === source : fact.type === type) {
        this.#facts.delete(key)
        this.reading.held -= countFact(fact)
      }
    yield* seriesType === undefined ? this.#collectStream(source) : this.#collectSeries(seriesType, type)
  }

  *#collectEvents(): MeasureSteps<void> {
    const walk = this.#streams.walkStreams()
    for (let stream = walk.next(this.reading.store.db); stream !== undefined;) {
      if (this.#streams.has(stream)) yield* this.#collectStream(stream)
      // A stream may have a thousand groups.
      yield
      stream = walk.next(this.reading.store.db)
    }
  }

  /** Collects the facts of one stream in steps: from its groups, or row by row if it has too many. */
  *#collectStream(stream: number): MeasureSteps<void> {
    for (;;) {
      const { db, facts } = this.reading.store
      const lane = facts.get(stream)
      if (!lane.isComplete) {
        lane.step(db)
        yield
      } else if (lane.hasTooManyGroups) return yield* this.#collectRows(stream)
      else return this.#addGroups(lane)
    }
  }

  #addGroups({ groups, stream }: LaneFacts): void {
    for (const { count, first, last, others, stream: home, type } of groups.values()) {
      const name = this.#events.get(type)
      if (name === undefined || !first || !last) continue
      const found = this.#streams.assign(home, others, name)
      if (found?.source !== stream) continue
      this.#add(found, name, { count, first: first.time, last: last.time, lastEvent: last.number })
    }
  }

  /** Reads the rows of a stream whose events are in too many different sets of streams to be cached. */
  *#collectRows(stream: number): MeasureSteps<void> {
    const rows = new LaneRows({ field: undefined, types: [...this.#events.keys()] })
    for (let position: ReturnType<LaneRows['next']>['position'] = { time: -Infinity }; position;) {
      const { db } = this.reading.store
      const read = rows.next(db, { stream, trashed: 0 }, position, Infinity)
      for (const { home, number, time, type } of read.rows) {
        const name = this.#events.get(type)!
        const found =
          home === null
            ? this.#streams.assign(stream, null, name)
            : this.#streams.assignEvent(db, number, name)
        if (found?.source === stream)
          this.#add(found, name, { count: 1, first: time, last: time, lastEvent: number })
      }
      position = read.position
      yield
    }
  }

  *#collectCreated(series: ReadonlyMap<string, number>, since: number): MeasureSteps<void> {
    const names = new Map([...series].map(([name, number]) => [number, name.slice(seriesPrefix.length)]))
    yield* findCreated(this.reading, {
      since,
      events: this.#events,
      series: names,
      take: ({ isSeries, others, stream, type, ...added }) => {
        const found = this.#streams.assign(stream, others, type)
        if (found) this.#add(found, isSeries ? `${seriesPrefix}${type}` : type, added)
      }
    })
  }

  /** Adds the points of all series of a type. */
  *#collectSeries(type: number, name: string): MeasureSteps<void> {
    let [lastTime, lastNumber] = [-Infinity, 0]
    for (;;) {
      const { db, series } = this.reading.store
      const rows = raw(db, holdersSql).all(type, lastTime, lastTime, lastNumber) as RawHolder[]
      for (const [event, time, stream, others] of rows) {
        const found = this.#streams.assign(stream, others, name.slice(seriesPrefix.length))
        const extent = found && series.getExtent(event)
        if (!extent) continue
        const { first, points, until } = extent
        this.#add(found, name, { count: points, first: time + first, last: time + until, lastEvent: event })
      }
      const last = rows.at(-1)
      if (!last || rows.length < holdersPerRead) return
      ;[lastNumber, lastTime] = last
      yield
    }
  }

  /** Adds to the facts of a source and type; `lastEvent` is the event with the latest time. */
  #add(assignment: Assignment, type: string, added: Added): void {
    const key = formatKey(assignment, type)
    const known = this.#facts.get(key)
    if (!known) return this.#set(key, { ...assignment, type, ...added })
    const isLater = known.last === added.last ? known.lastEvent < added.lastEvent : known.last < added.last
    this.#set(key, {
      ...assignment,
      type,
      count: known.count + added.count,
      first: Math.min(known.first, added.first),
      last: Math.max(known.last, added.last),
      lastEvent: isLater ? added.lastEvent : known.lastEvent
    })
  }

  #set(key: string, fact: MeasureFact): void {
    const known = this.#facts.get(key)
    this.#facts.set(key, fact)
    this.reading.held += countFact(fact) - (known ? countFact(known) : 0)
  }
}

/** Returns for how many values of about 150 bytes a fact takes memory. */
function countFact({ latest }: MeasureFact): number {
  return valuesPerFact + (latest ? countLatest(latest) : 0)
}

function formatKey({ measure, source }: Assignment, type: string): string {
  return `${type} ${source} ${measure}`
}

function isOfEvents({ type }: MeasureFact): boolean {
  return !type.startsWith(seriesPrefix)
}
