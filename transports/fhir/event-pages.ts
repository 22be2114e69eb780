/** Walks the events of a search page by page. */
import { measureJson } from '../../core/json/writer.js'
import type { Event } from '../../schemas/event.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
import { advance, listBeginning, readEventsAfter, type EventList, type Position } from '../event-positions.js'
import type { UserCalls } from '../user-calls.js'
import { maxPageLength } from './bundle.js'
import { formatCursor, formatPartCursor, parseCursor, parsePartCursor, type PartCursor } from './cursor.js'
import type { DateFilter, Span } from './dates.js'
import { omitReferencesIn } from './originals.js'
import { isOfPatient, type Patient } from './patient.js'
import type { Search } from './search-params.js'
import { markTrashed } from './trash.js'

/** Events to search in. */
export interface EventSearch {
  readonly types: readonly string[]
  /** `all`: also those in the trash. */
  readonly state: 'all' | 'default'
  readonly dates: DateFilter
  readonly lastUpdated: DateFilter
  readonly order: 'ascending' | 'descending'
  /** Returns the resource of an event; `undefined` if the event is none that is searched for. */
  convert(event: Event): object | undefined
  /** Returns when an event is for `dates`, where that is not its time and duration. */
  findSpan?(event: Event): Span | undefined
}

/** Resources, and where the next page begins. */
export interface FoundPage {
  readonly resources: readonly object[]
  readonly next: string | undefined
}

/** Events read at once, and how often: a page of a rare code may be short. */
const [minRead, maxRead, maxRounds] = [50, 1000, 5]
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
  const list = toList(events)
  let cursor: Position = search.page === undefined ? listBeginning : parseCursor(search.page)
  let limit = Math.min(maxRead, Math.max(minRead, search.count + 1))
  let size = 0
  /** Adds resources of events; returns the number of events that were examined. */
  const take = function* (found: readonly Event[]): Steps<number> {
    for (const [at, event] of found.entries()) {
      cursor = advance(cursor, event, list)
      const resource = mayBeFound(events, event) ? events.convert(event) : undefined
      if (resource) {
        resources.push(resource)
        size += yield* measureJson(resource, new Map())
        if (resources.length >= search.count || size >= maxPageLength) return at + 1
      }
      yield
    }
    return found.length
  }
  for (let round = 0; round < maxRounds; round++) {
    const read = await readEventsAfter(calls, list, cursor, limit)
    cursor = read.position
    const isReduced = read.limit < limit
    limit = read.limit
    const taken = await runInTurns(take(await prepareEvents(calls, events, read.events)))
    if (taken === read.events.length && taken < limit) return { resources, next: undefined }
    if (resources.length >= search.count || size >= maxPageLength) break
    // Few of the events were searched for.
    if (!isReduced) limit = Math.min(maxRead, limit * 4)
  }
  return { resources, next: formatCursor(cursor) }
}

/** Returns events as resources show them: trashed if their streams are, and without references in imported resources. */
export async function prepareEvents(
  calls: UserCalls,
  { state }: Pick<EventSearch, 'state'>,
  events: readonly Event[]
): Promise<readonly Event[]> {
  return await omitReferencesIn(state === 'all' ? await markTrashed(calls, events) : events)
}

/** Returns the list of the events that may be found: some part of each is between two times. */
export function toList({ dates, lastUpdated, order, state, types }: EventSearch): EventList {
  const to = dates.to ?? Number.MAX_VALUE
  return {
    params: {
      types,
      state,
      // Rounded down: the filter itself is exact.
      ...(lastUpdated.from !== undefined && { modifiedSince: lastUpdated.from - 1 })
    },
    order,
    from: Math.min(dates.from ?? -Number.MAX_VALUE, to),
    to
  }
}

/** Returns whether an event is about the patient and meets the dates of a search. */
export function mayBeFound(events: EventSearch, event: Event): boolean {
  if (!isOfPatient(event)) return false
  const { dates, lastUpdated } = events
  const { duration, modified, time } = event
  const end = duration === null ? Infinity : time + (duration ?? 0)
  return (
    dates.matches(events.findSpan?.(event) ?? { start: time, end }) &&
    lastUpdated.matches({ start: modified, end: modified })
  )
}

/** Reads a page of one of the lists of which a search consists. */
export type ReadPart = (search: Search) => Promise<FoundPage>

/** Returns a page of several lists, one after the other. Links to pages tell in which list they begin. */
export async function readParts(search: Search, parts: readonly ReadPart[]): Promise<FoundPage> {
  const { cursor, part }: PartCursor =
    search.page === undefined ? { part: 0 } : parsePartCursor(search.page, parts.length)
  const resources: object[] = []
  for (const [index, read] of parts.entries()) {
    if (index < part) continue
    const left = search.count - resources.length
    const page = index === part ? cursor : undefined
    const found = await read({ ...search, page, count: Math.max(1, left) })
    // A full page has a next one only if there is something on it.
    if (left === 0 && (found.resources.length > 0 || found.next !== undefined))
      return { resources, next: formatPartCursor({ part: index }) }
    resources.push(...found.resources)
    if (found.next !== undefined)
      return { resources, next: formatPartCursor({ part: index, cursor: found.next }) }
  }
  return { resources, next: undefined }
}
