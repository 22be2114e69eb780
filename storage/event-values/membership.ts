/** Decides in which streams events are searched, and in which one of them each event is counted. */
import type { Database } from 'better-sqlite3'
import { createRowTest, type RowTest, type StreamsCriteria } from '../event-query/query.js'
import { raw } from '../sqlite/statements.js'
import { findNextStream } from './lane-rows.js'

/** Maximum number of cached sets of streams, and of cached events. */
const maxCachedSets = 1000
const maxCachedEvents = 100_000

/** Tests which events are in the searched streams. */
export class Membership {
  /** True if every event in one of the searched streams matches. */
  readonly isUnconditional: boolean
  /** The searched streams; absent: all. */
  readonly #streams: readonly number[] | undefined
  readonly #test: RowTest | undefined
  readonly #homesByStreams = new Map<string, number | undefined>()
  /**
   * By event number: an event in thousands of streams is read in each of these streams, and its list of streams is
   * long.
   */
  readonly #homesByEvent = new Map<number, number | undefined>()

  /** `criteria`: as in a query; at least one has to match, unless `criteria` is absent. */
  constructor(private readonly criteria: readonly StreamsCriteria[] | undefined) {
    this.isUnconditional = (criteria ?? []).every(({ all, not }) => all.length === 0 && not.size === 0)
    this.#streams = listNamedStreams(criteria)
    this.#test = createRowTest({ streams: criteria })
  }

  /** Returns an iterator over the searched streams. */
  walkStreams(): StreamWalk {
    return new StreamWalk(this.#streams)
  }

  /** Returns whether an event in these streams matches the criteria as a whole; `others`: JSON of numbers, as stored. */
  matches(stream: number, others: string | null): boolean {
    return this.#test?.matches(stream, others, 0) ?? true
  }

  /** Returns whether a single stream is searched, whatever else the criteria require. */
  has(stream: number): boolean {
    if (!this.criteria) return true
    return this.criteria.some(({ any, excludesAccountFields }) =>
      any ? any.has(stream) : !excludesAccountFields || stream >= 0
    )
  }

  /**
   * Returns the first searched stream of an event in several streams, in the event's order; `undefined` if it does not
   * match.
   */
  findHome(db: Database, event: number): number | undefined {
    if (this.#homesByEvent.has(event)) return this.#homesByEvent.get(event)
    const row = readStreams(db, event)
    // The event may have been deleted in the meantime.
    const home = row && this.#computeHome(...row)
    if (this.#homesByEvent.size >= maxCachedEvents) this.#homesByEvent.clear()
    this.#homesByEvent.set(event, home)
    return home
  }

  /** Returns whether an event in several streams matches. */
  matchesEvent(db: Database, event: number): boolean {
    return this.findHome(db, event) !== undefined
  }

  /**
   * Returns the home of an event: the first of its streams that is searched, in which it is counted. `undefined` if the
   * event does not match all criteria. `others`: JSON of the numbers of its other streams, as stored.
   */
  #computeHome(stream: number, others: string | null): number | undefined {
    const key = `${stream} ${others}`
    if (key.length <= maxKeyLength && this.#homesByStreams.has(key)) return this.#homesByStreams.get(key)
    const all = [stream, ...(JSON.parse(others ?? '[]') as number[])]
    const home = this.matches(stream, others) ? all.find(number => this.has(number)) : undefined
    if (key.length > maxKeyLength) return home
    if (this.#homesByStreams.size >= maxCachedSets) this.#homesByStreams.clear()
    this.#homesByStreams.set(key, home)
    return home
  }
}

/** Maximum length of a cached list of streams, in characters. */
const maxKeyLength = 1000

/** Reads the first stream of an event and the others, as stored; `undefined` if the event no longer exists. */
export function readStreams(
  db: Database,
  event: number
): [stream: number, others: string | null] | undefined {
  const sql = 'SELECT stream, others FROM event WHERE number = ?'
  return raw(db, sql).get(event) as [number, string | null] | undefined
}

/** Iterates over the named streams, or over all that hold events. */
export class StreamWalk {
  #index = 0
  #last = -Infinity

  constructor(private readonly named: readonly number[] | undefined) {}

  /** Returns the number of the next stream; `undefined` after the last. */
  next(db: Database): number | undefined {
    if (this.named) return this.named[this.#index++]
    const stream = findNextStream(db, this.#last)
    this.#last = stream ?? Infinity
    return stream
  }
}

/** Lists the streams that criteria name; `undefined` if a criterion names no stream. */
function listNamedStreams(criteria: readonly StreamsCriteria[] | undefined): number[] | undefined {
  const named = new Set<number>()
  for (const { any } of criteria ?? [{ any: undefined }]) {
    if (!any) return undefined
    for (const stream of any) named.add(stream)
  }
  return [...named]
}
