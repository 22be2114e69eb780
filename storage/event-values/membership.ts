/** In which streams events are looked for, and in which of them each counts: once, wherever else it is. */
import type { Database } from 'better-sqlite3'
import { createRowTest, type RowTest, type StreamsCriteria } from '../event-query/query.js'
import { raw } from '../sqlite/statements.js'
import { findNextStream } from './lane-rows.js'

/** Sets of streams that are remembered with what they come to, and events by themselves. */
const maxCachedSets = 1000
const maxCachedEvents = 100_000

export class Membership {
  /** Whether whoever is in one of the streams that are looked at matches: nothing else is asked. */
  readonly isUnconditional: boolean
  /** Streams that are looked at; absent: all. */
  readonly #streams: readonly number[] | undefined
  readonly #test: RowTest | undefined
  readonly #homesByStreams = new Map<string, number | undefined>()
  /** By the number of the event: one in thousands of streams is met in each of them, and its list is long. */
  readonly #homesByEvent = new Map<number, number | undefined>()

  /** `criteria` as in a query: one has to hold, if there are any. */
  constructor(private readonly criteria: readonly StreamsCriteria[] | undefined) {
    this.isUnconditional = (criteria ?? []).every(({ all, not }) => all.length === 0 && not.size === 0)
    this.#streams = listNamedStreams(criteria)
    this.#test = createRowTest({ streams: criteria })
  }

  /** The streams to look at, one after the other. */
  walkStreams(): StreamWalk {
    return new StreamWalk(this.#streams)
  }

  /** Whether an event in these streams matches; `others` as in events. */
  matches(stream: number, others: string | null): boolean {
    return this.#test?.matches(stream, others, 0) ?? true
  }

  /** Whether events are looked for in a stream. */
  has(stream: number): boolean {
    if (!this.criteria) return true
    return this.criteria.some(({ any, excludesAccountFields: isOwn }) =>
      any ? any.has(stream) : !isOwn || stream >= 0
    )
  }

  /** Of the streams that an event of several is in, in its order, the first that is looked at; `undefined` if it does not match. */
  findHome(db: Database, event: number): number | undefined {
    if (this.#homesByEvent.has(event)) return this.#homesByEvent.get(event)
    const row = readStreams(db, event)
    // It may have been deleted since it was met.
    const home = row && this.#computeHome(...row)
    if (this.#homesByEvent.size >= maxCachedEvents) this.#homesByEvent.clear()
    this.#homesByEvent.set(event, home)
    return home
  }

  /** Whether an event of several streams matches. */
  matchesEvent(db: Database, event: number): boolean {
    return this.findHome(db, event) !== undefined
  }

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

/** Characters of a list of streams that is remembered. */
const maxKeyLength = 1000

/** The first stream of an event and the others, as they are kept; `undefined` if it is not there any more. */
export function readStreams(
  db: Database,
  event: number
): [stream: number, others: string | null] | undefined {
  const sql = 'SELECT stream, others FROM event WHERE number = ?'
  return raw(db, sql).get(event) as [number, string | null] | undefined
}

/** Goes from stream to stream: through those that are named, or through all that hold something. */
export class StreamWalk {
  #index = 0
  #last = -Infinity

  constructor(private readonly named: readonly number[] | undefined) {}

  /** The number of the next stream; `undefined` behind the last. */
  next(db: Database): number | undefined {
    if (this.named) return this.named[this.#index++]
    const stream = findNextStream(db, this.#last)
    this.#last = stream ?? Infinity
    return stream
  }
}

/** The streams that criteria name; `undefined` if one of them names none. */
function listNamedStreams(criteria: readonly StreamsCriteria[] | undefined): number[] | undefined {
  const named = new Set<number>()
  for (const { any } of criteria ?? [{ any: undefined }]) {
    if (!any) return undefined
    for (const stream of any) named.add(stream)
  }
  return [...named]
}
