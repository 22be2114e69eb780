/** Decides which measure an event belongs to, and in which of its streams it counts. */
import type { Database } from 'better-sqlite3'
import type { StreamsCriteria } from '../event-query/query.js'
import { Membership, readStreams, StreamWalk } from '../event-values/membership.js'
import type { SampledStreams } from '../event-values/sample-run.js'
import type { Reading } from './reading.js'

/** The events that a call searches, and how they are assigned. Streams are given by number. */
export interface MeasureScope {
  /** As in a query of events. */
  readonly streams: readonly StreamsCriteria[] | undefined
  /** Returns the id of the measure of an event with these streams, in its own order. `type` without `series:`. */
  findMeasure(streams: readonly number[], type: string): string | undefined
  /** Returns the place of a stream in the user's order of a measure's sources; infinite if it is not in it. */
  getRank(measure: string, stream: number): number
}

/** The measure that an event belongs to, and the stream in which it counts. */
export interface Assignment {
  readonly measure: string
  readonly source: number
}

/** Maximum number of cached assignments, and maximum length of a cached list of streams, in characters. */
const maxCached = 10_000
const maxKeyLength = 1000
/** Values of about 150 bytes for which a cached assignment takes memory, and characters of its key that take as much as a value. */
const [valuesPerCached, charactersPerValue] = [1, 100]

/** Assigns events to measures and sources, and caches what it has found. */
export class MeasureStreams {
  readonly #membership: Membership
  readonly #cached = new Map<string, Assignment | undefined>()
  /** Number of values that the cache holds. */
  #held = 0

  constructor(
    private readonly scope: MeasureScope,
    private readonly reading: Pick<Reading, 'held'>
  ) {
    this.#membership = new Membership(scope.streams)
  }

  /** Returns an iterator over the searched streams. */
  walkStreams(): StreamWalk {
    return this.#membership.walkStreams()
  }

  /** Returns whether a stream is searched. Values of account fields belong to no measure. */
  has(stream: number): boolean {
    return stream > 0 && this.#membership.has(stream)
  }

  /** Assigns an event with these streams (`others` as in events); `undefined` if it does not count. */
  assign(stream: number, others: string | null, type: string): Assignment | undefined {
    const key = `${type} ${stream} ${others ?? ''}`
    if (this.#cached.has(key)) return this.#cached.get(key)
    const found = this.#findAssignment(stream, others, type)
    if (key.length > maxKeyLength) return found
    if (this.#cached.size >= maxCached) {
      this.#cached.clear()
      this.#hold(-this.#held)
    }
    this.#cached.set(key, found)
    this.#hold(valuesPerCached + key.length / charactersPerValue)
    return found
  }

  /** Does the same as {@link assign} for an event that is read. */
  assignEvent(db: Database, event: number, type: string): Assignment | undefined {
    const row = readStreams(db, event)
    return row && this.assign(...row, type)
  }

  /** Returns the streams to sample for one source: only events of the type that count for this source and measure match. */
  sampleSource({ measure, source }: Assignment, type: string): SampledStreams {
    const isCounted = (found: Assignment | undefined): boolean =>
      found?.measure === measure && found.source === source
    return {
      isUnconditional: false,
      walkStreams: () => new StreamWalk([source]),
      has: stream => stream === source,
      matches: (stream, others) => isCounted(this.assign(stream, others, type)),
      findHome: (db, event) => (isCounted(this.assignEvent(db, event, type)) ? source : undefined)
    }
  }

  #hold(values: number): void {
    this.#held += values
    this.reading.held += values
  }

  /**
   * Returns the measure of events of a type in these streams, and the source that the user prefers; `undefined` if there
   * is none.
   */
  #findAssignment(stream: number, others: string | null, type: string): Assignment | undefined {
    if (stream < 0 || !this.#membership.matches(stream, others)) return undefined
    const streams = others === null ? [stream] : [stream, ...(JSON.parse(others) as number[])]
    const measure = this.scope.findMeasure(streams, type)
    if (measure === undefined) return undefined
    let source: number | undefined
    let best = Infinity
    for (const each of streams) {
      if (!this.has(each)) continue
      const rank = this.scope.getRank(measure, each)
      if (source !== undefined && rank >= best) continue
      source = each
      best = rank
    }
    return source === undefined ? undefined : { measure, source }
  }
}
