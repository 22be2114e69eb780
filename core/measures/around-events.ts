/** Compares the days of a measure before and after events. (docs/api/measure-methods.md#before-and-after) */
import { Type, type Static } from 'typebox'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'
import { selectEvents } from '../events/selection.js'
import { concatLists, emptyPage, type Listing, type Page } from '../json/json-text.js'
import { getRootOfCopy, isFollowedId } from '../system-ids.js'
import { getLocalDay } from '../../schemas/zones.js'
import { startDays } from './day-values.js'
import { listDays } from './grids.js'
import type { MeasureForm } from './known-measures.js'
import { RunListing } from './run-listing.js'
import { estimatePairedShift, estimateShift } from './shift.js'
import { getMedian } from './week-statistics.js'

const Side = Type.Object({
  /** Number of days with data; with several events, of those that have data on both sides. */
  count: Type.Integer(),
  median: Type.Optional(Type.Number())
})

/** A comparison of both sides. Numbers are in the first type of the measure. */
export const Around = Type.Object({
  /** Number of events, on days of their own. */
  events: Type.Integer(),
  before: Side,
  after: Side,
  difference: Type.Optional(
    Type.Object({
      value: Type.Number(),
      low: Type.Optional(Type.Number()),
      high: Type.Optional(Type.Number())
    })
  ),
  warnings: Type.Array(Type.Enum(['few', 'overlapping', 'truncated']))
})
type Around = Static<typeof Around>

/** When an event was, in seconds. */
export interface Span {
  readonly time: number
  /** `null` while it runs. */
  readonly duration?: number | null | undefined
}

interface AroundRequest {
  readonly measure: MeasureForm
  /** One event, or all of a type in a stream. */
  readonly events: Span | { readonly streamId: string; readonly type: string }
  /** The streams of the measure: see {@link listStreamsOfPerson}. */
  readonly streams: readonly string[] | undefined
  /** Numbers of days. */
  readonly before: number
  readonly after: number
  readonly zone: string
}

/** An event’s first and last day, counted from 1 January 1970. */
interface EventDays {
  readonly first: number
  readonly last: number
}

/** Maximum number of events, the latest ones, and of days between the first and the last of them. */
const maxEvents = 200
const maxDays = 3660
/** What is shorter does not count as reaching into another day, in seconds. */
const instant = 0.001
/** Number of days, or events, below which a comparison says little. */
const fewest = 5

/**
 * Lists one item: the comparison, which is empty if there are no events. Only the latest events count if
 * there are too many.
 */
export class AroundListing implements Listing<Reader> {
  readonly #search: Listing<Reader> | undefined
  #isSearched: boolean
  #found: Span[] = []
  #events: EventDays[] = []
  #isTruncated = false
  readonly #values = new Map<number, number>()
  #run: RunListing<unknown> | undefined

  constructor(
    private readonly call: Call,
    private readonly request: AroundRequest
  ) {
    const { events } = request
    this.#isSearched = 'time' in events
    if ('time' in events) this.#found = [events]
    else {
      const selection = { streams: [events.streamId], types: [events.type], sortAscending: false }
      this.#search = concatLists([selectEvents(call, selection, maxEvents + 1).events])
    }
  }

  next({ caller, store }: Reader): Page {
    const reader = { caller, store }
    if (!this.#isSearched) {
      const page = this.#search!.next(reader)
      for (const { duration, time } of JSON.parse(`[${page.text}]`) as Span[])
        this.#found.push({ duration, time })
      this.#isSearched = page.done
      return emptyPage
    }
    this.#run ??= this.#start(reader)
    const page = this.#run?.next(reader)
    if (page && !page.done) return { ...emptyPage, isWaiting: page.isWaiting }
    return { text: JSON.stringify(this.#compare()), count: 1, done: true }
  }

  close(): void {
    this.#run?.close()
  }

  /** Starts reading the days around the events; returns `undefined` if there are none. */
  #start(reader: Reader): RunListing<unknown> | undefined {
    const { after, before, measure, streams, zone } = this.request
    this.#events = this.#listEventDays()
    const [oldest, newest] = [this.#events[0], this.#events.at(-1)]
    if (!oldest || !newest) return undefined
    const start = oldest.first - before
    const last = Math.max(...this.#events.map(event => event.last)) + after
    const days = listDays(zone, start, last)
    return new RunListing({ ...this.call, ...reader }, streams, reading => {
      this.#values.clear()
      const format = ({ day, value }: { readonly day: number; readonly value: unknown }): string => {
        const number: unknown = Array.isArray(value) ? value[0] : value
        if (typeof number === 'number') this.#values.set(start + day, number)
        return ''
      }
      return startDays(reading, { measure, streams, unit: undefined, days, format })
    })
  }

  /** Returns the days of the events in order, one for events that begin on the same day. */
  #listEventDays(): EventDays[] {
    const { zone } = this.request
    const byDay = new Map<number, EventDays>()
    for (const { duration, time } of this.#found.slice(0, maxEvents)) {
      const first = getLocalDay(zone, time).number
      const end = Math.min(time + Math.max(0, duration ?? 0), time + maxDays * 86_400)
      // An event that ends at midnight does not reach into the next day.
      const last = getLocalDay(zone, end > time ? end - instant : end).number
      const known = byDay.get(first)
      byDay.set(first, { first, last: Math.max(last, known?.last ?? last) })
    }
    const all = [...byDay.values()].toSorted((a, b) => a.first - b.first)
    const newest = all.at(-1)?.first ?? 0
    const kept = all.filter(({ first }) => first > newest - maxDays)
    this.#isTruncated = this.#found.length > maxEvents || kept.length < all.length
    return kept
  }

  /**
   * Compares the days around all events: paired by event, or as two samples if there is one event. `difference` is
   * absent if there are too few values.
   */
  #compare(): Around {
    const { after, before } = this.request
    const events = this.#events
    const sides = events.map(({ first, last }) => ({
      before: this.#listValues(first - before, first - 1),
      after: this.#listValues(last + 1, last + after)
    }))
    const [only] = sides
    const isSingle = sides.length === 1
    const pairs = sides.flatMap(side => {
      const [early, late] = [getMedian(side.before), getMedian(side.after)]
      return early === undefined || late === undefined ? [] : [[early, late] as const]
    })
    const earlyValues = isSingle ? only!.before : pairs.map(([early]) => early)
    const lateValues = isSingle ? only!.after : pairs.map(([, late]) => late)
    const difference = isSingle
      ? estimateShift(earlyValues, lateValues)
      : estimatePairedShift(pairs.map(([early, late]) => late - early))
    const isOverlapping = events.some(
      ({ last }, index) => index + 1 < events.length && events[index + 1]!.first - before <= last + after
    )
    const warnings: Around['warnings'] = []
    if (Math.min(earlyValues.length, lateValues.length) < fewest) warnings.push('few')
    if (isOverlapping) warnings.push('overlapping')
    if (this.#isTruncated) warnings.push('truncated')
    return {
      events: events.length,
      before: describeSide(earlyValues),
      after: describeSide(lateValues),
      ...(difference && { difference }),
      warnings
    }
  }

  #listValues(from: number, to: number): number[] {
    const values: number[] = []
    for (let day = from; day <= to; day++) {
      const value = this.#values.get(day)
      if (value !== undefined) values.push(value)
    }
    return values
  }
}

/**
 * Returns the streams that the caller may read of the person whom an event in these streams is about, if they are a copy; `undefined` for
 * the user's own.
 */
export function listStreamsOfPerson(
  { caller }: Pick<Reader, 'caller'>,
  streamIds: readonly string[]
): readonly string[] | undefined {
  const copied = streamIds.find(isFollowedId)
  if (copied === undefined) return undefined
  const root = getRootOfCopy(copied)
  if (caller.isPersonal) return [root]
  return [...caller.names].filter(
    id => isFollowedId(id) && getRootOfCopy(id) === root && caller.may('read', id)
  )
}

function describeSide(values: readonly number[]): Static<typeof Side> {
  const median = getMedian(values)
  return { count: values.length, ...(median !== undefined && { median }) }
}
