/** Walks the events of a search page by page. */
import { measureJson } from '../../core/json/writer.js'
import type { Event } from '../../schemas/event.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
import { readEvents } from '../read-events.js'
import { formatCursor, parseCursor, type Cursor } from './cursor.js'
import type { DateFilter } from './dates.js'
import { omitReferencesIn } from './originals.js'
import type { Patient } from './patient.js'
import type { Search } from './search-params.js'

/** Events to search in. */
export interface EventSearch {
  readonly types: readonly string[]
  readonly dates: DateFilter
  readonly lastUpdated: DateFilter
  readonly order: 'ascending' | 'descending'
  /** Returns the resource of an event; `undefined` if the event is none that is searched for. */
  convert(event: Event): object | undefined
}

/** Resources, and where the next page begins. */
export interface FoundPage {
  readonly resources: object[]
  readonly next: string | undefined
}

/** Events read at once, and how often: a page of a rare code may be short. */
const [minRead, maxRead, maxRounds] = [50, 1000, 5]
/** A page ends once it has this number of characters. */
const maxPageSize = 4 * 1024 * 1024
/**
 * Returns a page of resources. A page may have fewer resources than asked for, or none, although others
 * follow.
 */
export async function readEventPage(
  { calls }: Patient,
  search: Search,
  events: EventSearch
): Promise<FoundPage> {
  const resources: object[] = []
  let cursor: Cursor = search.page === undefined ? { time: undefined, skip: 0 } : parseCursor(search.page)
  let limit = Math.min(maxRead, Math.max(minRead, search.count + 1))
  let size = 0
  /** Adds resources of events; returns the number of events that were read. */
  const take = function* (found: readonly Event[]): Steps<number> {
    for (const [at, event] of found.entries()) {
      cursor = advance(cursor, event, events)
      const resource = meetsDates(events, event) ? events.convert(event) : undefined
      if (!resource) continue
      resources.push(resource)
      size += yield* measureJson(resource, new Map())
      if (resources.length >= search.count || size >= maxPageSize) return at + 1
      yield
    }
    return found.length
  }
  for (let round = 0; round < maxRounds; round++) {
    const read = await readEvents(calls, { ...toQuery(events, cursor), limit })
    const isReduced = read.limit < limit
    limit = read.limit
    const taken = await runInTurns(take(await omitReferencesIn(read.events)))
    if (taken === read.events.length && taken < limit) return { resources, next: undefined }
    if (resources.length >= search.count || size >= maxPageSize) break
    // Few of the events were searched for.
    if (!isReduced) limit = Math.min(maxRead, limit * 4)
  }
  return { resources, next: formatCursor(cursor) }
}

/** The times between which events can be found, in seconds: some part of each event is between them. */
export function getRange({ dates }: Pick<EventSearch, 'dates'>): {
  readonly from: number
  readonly to: number
} {
  const to = dates.to ?? Number.MAX_VALUE
  return { from: Math.min(dates.from ?? -Number.MAX_VALUE, to), to }
}

/** Returns the params with which the events after a cursor are read. */
export function toQuery(events: EventSearch, { skip, time }: Cursor): Record<string, unknown> {
  const { dates, lastUpdated, order, types } = events
  const { from, to } = getRange(events)
  return {
    types,
    sortAscending: order === 'ascending',
    skip,
    ...((dates.from !== undefined || dates.to !== undefined || time !== undefined) && {
      fromTime: from,
      toTime: time ?? to
    }),
    // Rounded down: the filter itself is exact.
    ...(lastUpdated.from !== undefined && { modifiedSince: lastUpdated.from - 1 })
  }
}

/** Returns the cursor after an event. */
export function advance({ skip, time }: Cursor, event: Event, events: EventSearch): Cursor {
  if (events.order === 'ascending') return { time: undefined, skip: skip + 1 }
  // Events that begin before the range are read together, as if at its beginning: they reach it.
  const at = Math.max(event.time, getRange(events).from)
  return { time: at, skip: time === at ? skip + 1 : 1 }
}

/** Returns whether an event meets the dates of a search. */
export function meetsDates({ dates, lastUpdated }: EventSearch, event: Event): boolean {
  const { duration, modified, time } = event
  const end = duration === null ? Infinity : time + (duration ?? 0)
  return dates.matches({ start: time, end }) && lastUpdated.matches({ start: modified, end: modified })
}
