/** In which streams events are looked for, and in which of them each counts: once, wherever else it is. */
import type { Database } from 'better-sqlite3'
import { createRowTest, type RowTest, type StreamsCriteria } from '../event-query/query.js'
import { raw } from '../sqlite/statements.js'
import { streamAfter } from './lane-rows.js'

/** Sets of streams that are remembered with what they come to, and events by themselves. */
const remembered = 1000
const rememberedEvents = 100_000

export class Membership {
  /** Whether whoever is in one of the streams that are looked at matches: nothing else is asked. */
  readonly areFree: boolean
  /** Streams that are looked at; absent: all. */
  readonly #named: readonly number[] | undefined
  readonly #test: RowTest | undefined
  readonly #homes = new Map<string, number | undefined>()
  /** By the number of the event: one in thousands of streams is met in each of them, and its list is long. */
  readonly #homeOf = new Map<number, number | undefined>()

  /** `criteria` as in a query: one has to hold, if there are any. */
  constructor(private readonly criteria: readonly StreamsCriteria[] | undefined) {
    this.areFree = (criteria ?? []).every(({ all, not }) => all.length === 0 && not.size === 0)
    this.#named = namedIn(criteria)
    this.#test = createRowTest({ streams: criteria })
  }

  /** The streams to look at, one after the other. */
  streams(): StreamWalk {
    return new StreamWalk(this.#named)
  }

  /** Whether an event in these streams matches; `others` as in events. */
  meets(stream: number, others: string | null): boolean {
    return this.#test?.meets(stream, others, 0) ?? true
  }

  /** Whether events are looked for in a stream. */
  has(stream: number): boolean {
    if (!this.criteria) return true
    return this.criteria.some(({ any, excludesAccountFields: isOwn }) =>
      any ? any.has(stream) : !isOwn || stream >= 0
    )
  }

  /** Of the streams that an event of several is in, in its order, the first that is looked at; `undefined` if it does not match. */
  homeOf(db: Database, event: number): number | undefined {
    if (this.#homeOf.has(event)) return this.#homeOf.get(event)
    const row = streamsOf(db, event)
    // It may have been deleted since it was met.
    const home = row && this.#home(...row)
    if (this.#homeOf.size >= rememberedEvents) this.#homeOf.clear()
    this.#homeOf.set(event, home)
    return home
  }

  /** Whether an event of several streams matches. */
  meetsEvent(db: Database, event: number): boolean {
    return this.homeOf(db, event) !== undefined
  }

  #home(stream: number, others: string | null): number | undefined {
    const key = `${stream} ${others}`
    if (key.length <= longestKey && this.#homes.has(key)) return this.#homes.get(key)
    const all = [stream, ...(JSON.parse(others ?? '[]') as number[])]
    const home = this.meets(stream, others) ? all.find(number => this.has(number)) : undefined
    if (key.length > longestKey) return home
    if (this.#homes.size >= remembered) this.#homes.clear()
    this.#homes.set(key, home)
    return home
  }
}

/** Characters of a list of streams that is remembered. */
const longestKey = 1000

/** The first stream of an event and the others, as they are kept; `undefined` if it is not there any more. */
export function streamsOf(db: Database, event: number): [stream: number, others: string | null] | undefined {
  const sql = 'SELECT stream, others FROM event WHERE number = ?'
  return raw(db, sql).get(event) as [number, string | null] | undefined
}

/** Goes from stream to stream: through those that are named, or through all that hold something. */
export class StreamWalk {
  #at = 0
  #last = -Infinity

  constructor(private readonly named: readonly number[] | undefined) {}

  /** The number of the next stream; `undefined` behind the last. */
  next(db: Database): number | undefined {
    if (this.named) return this.named[this.#at++]
    const stream = streamAfter(db, this.#last)
    this.#last = stream ?? Infinity
    return stream
  }
}

/** The streams that criteria name; `undefined` if one of them names none. */
function namedIn(criteria: readonly StreamsCriteria[] | undefined): number[] | undefined {
  const named = new Set<number>()
  for (const { any } of criteria ?? [{ any: undefined }]) {
    if (!any) return undefined
    for (const stream of any) named.add(stream)
  }
  return [...named]
}
