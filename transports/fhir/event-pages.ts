/** Walks the events of a search page by page. */
import { ApiError } from '../../core/errors.js'
import type { Event } from '../../schemas/event.js'
import { formatCursor, parseCursor, type Cursor } from './cursor.js'
import type { DateFilter } from './dates.js'
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

/** Times that no event is before or after, in seconds: years 1 and 9999. */
const [firstTime, lastTime] = [-62_135_596_800, 253_402_300_799]
/** Events read at once, and how often: a page of a rare code may be short. */
const [minRead, maxRead, maxRounds] = [50, 1000, 5]
/** A page ends once it has this number of characters. */
const maxPageSize = 4 * 1024 * 1024
/**
 * Number of characters that are parsed in one turn, during which other calls wait. Two events are parsed together even if
 * they have more.
 */
const maxLength = 1024 * 1024
const fewestRead = 2

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
  if (events.dates.isEmpty) return { resources, next: undefined }
  let cursor: Cursor = search.page === undefined ? { time: undefined, skip: 0 } : parseCursor(search.page)
  let limit = Math.min(maxRead, Math.max(minRead, search.count + 1))
  let size = 0
  for (let round = 0; round < maxRounds; round++) {
    const query = toQuery(events, cursor)
    const read = await readEvents(calls, { ...query, limit })
    const isReduced = read.limit < limit
    limit = read.limit
    for (const [at, event] of read.events.entries()) {
      cursor = advance(cursor, event, events.order)
      const resource = meetsDates(events, event) ? events.convert(event) : undefined
      if (!resource) continue
      resources.push(resource)
      size += JSON.stringify(resource).length
      if (resources.length < search.count && size < maxPageSize) continue
      const isLast = at === read.events.length - 1 && read.events.length < limit
      return { resources, next: isLast ? undefined : formatCursor(cursor) }
    }
    if (read.events.length < limit) return { resources, next: undefined }
    // Few of the events were searched for.
    if (!isReduced) limit = Math.min(maxRead, limit * 4)
  }
  return { resources, next: formatCursor(cursor) }
}

/** Returns the params with which the events after a cursor are read. */
function toQuery(
  { dates, lastUpdated, order, types }: EventSearch,
  { skip, time }: Cursor
): Record<string, unknown> {
  const to = time ?? dates.to
  return {
    types,
    sortAscending: order === 'ascending',
    skip,
    ...((dates.from !== undefined || to !== undefined) && {
      fromTime: dates.from ?? firstTime,
      toTime: to ?? lastTime
    }),
    // Rounded down: the filter itself is exact.
    ...(lastUpdated.from !== undefined && { modifiedSince: lastUpdated.from - 1 })
  }
}

/** Reads events; fewer if the response would be too long. Returns the limit that was used at last. */
export async function readEvents(
  calls: Patient['calls'],
  params: Readonly<Record<string, unknown>> & { readonly limit: number }
): Promise<{ readonly events: readonly Event[]; readonly limit: number }> {
  try {
    const longest = params.limit > fewestRead ? maxLength : Infinity
    const { events } = await calls.call<{ events: Event[] }>('events.get', params, longest)
    return { events, limit: params.limit }
  } catch (error) {
    const isTooLong =
      error instanceof ApiError && error.id === 'too-many-results' && params.limit > fewestRead
    if (!isTooLong) throw error
    return await readEvents(calls, { ...params, limit: Math.max(fewestRead, Math.ceil(params.limit / 8)) })
  }
}

function advance({ skip, time }: Cursor, event: Event, order: EventSearch['order']): Cursor {
  if (order === 'ascending') return { time: undefined, skip: skip + 1 }
  return { time: event.time, skip: time === event.time ? skip + 1 : 1 }
}

/** Returns whether an event meets the dates of a search. */
export function meetsDates({ dates, lastUpdated }: EventSearch, event: Event): boolean {
  const { duration, modified, time } = event
  const end = duration === null ? Infinity : time + (duration ?? 0)
  return dates.matches({ start: time, end }) && lastUpdated.matches({ start: modified, end: modified })
}
