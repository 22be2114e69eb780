/** Pages of events and data points together, in order of time. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Event } from '../../schemas/event.js'
import { formatCursor, parseCursor } from './cursor.js'
import { meetsDates, readEvents, type EventSearch, type FoundPage } from './event-pages.js'
import { refuse } from './outcome.js'
import type { Patient } from './patient.js'
import { readPoints } from './points.js'
import type { Search } from './search-params.js'

/** Events and series to search in. */
export interface MixedSearch extends EventSearch {
  /** First and last time, in seconds. */
  readonly from: number
  readonly to: number
}

/** Maximum number of series in the range of a search: the points of each are a call. */
const maxSeries = 20
/** Maximum number of resources at the time of a cursor: each page reads them again, from each series. */
const maxSkip = 1000

/** What one source has: items in order, and whether there are more. */
interface Source {
  readonly items: readonly Event[]
  readonly hasMore: boolean
}

/** Returns a page of resources. Throws if there are too many series in the range. */
export async function readMixedPage(
  patient: Patient,
  search: Search,
  mixed: MixedSearch
): Promise<FoundPage> {
  const cursor = search.page === undefined ? undefined : parseCursor(search.page)
  const isAscending = mixed.order === 'ascending'
  const { skip = 0, time: at } = cursor ?? {}
  if (skip > maxSkip) refuseSameTime()
  const range =
    at === undefined
      ? { from: mixed.from, to: mixed.to }
      : isAscending
        ? { from: Math.max(mixed.from, at), to: mixed.to }
        : { from: mixed.from, to: Math.min(mixed.to, at) }
  const limit = search.count + skip + 1
  const sources = await readSources(patient, { ...mixed, ...range }, limit)
  const rank = (time: number): number => (isAscending ? time : -time)
  // Beyond the last item of a source that has more, others may come first.
  const horizon = Math.min(
    ...sources.map(({ hasMore, items }) => (hasMore ? rank(items.at(-1)!.time) : Infinity))
  )
  const items = sources
    .flatMap(source => source.items)
    .filter(({ time }) => rank(time) < horizon && (at === undefined || rank(time) >= rank(at)))
    .toSorted((a, b) => rank(a.time) - rank(b.time) || (a.id < b.id ? -1 : 1))
  const found = convertItems(items, mixed, skip + search.count + 1)
  const page = found.slice(skip, skip + search.count)
  const last = page.at(-1)
  const resources = page.map(({ resource }) => resource)
  if (found.length > skip + page.length && last) {
    const same = page.filter(({ time }) => time === last.time).length
    const read = last.time === at ? skip + same : same
    return { resources, next: formatCursor({ time: last.time, skip: read }) }
  }
  if (horizon === Infinity) return { resources, next: undefined }
  const time = isAscending ? horizon : -horizon
  if (time === at) refuseSameTime()
  return { resources, next: formatCursor({ time, skip: 0 }) }
}

function refuseSameTime(): never {
  refuse('too-costly', 'Too much happened at the same time. Use a greater "_count"')
}

/** Converts items until there are enough resources. */
function convertItems(
  items: readonly Event[],
  mixed: MixedSearch,
  enough: number
): { readonly resource: object; readonly time: number }[] {
  const found: { resource: object; time: number }[] = []
  for (const event of items) {
    if (found.length >= enough) break
    const resource = meetsDates(mixed, event) ? mixed.convert(event) : undefined
    if (resource) found.push({ resource, time: event.time })
  }
  return found
}

/** Reads the events in the range, and the points of each series. */
async function readSources(
  patient: Patient,
  { from, lastUpdated, order, to, types }: MixedSearch,
  limit: number
): Promise<Source[]> {
  const range = {
    fromTime: from,
    toTime: to,
    sortAscending: order === 'ascending',
    ...(lastUpdated.from !== undefined && { modifiedSince: lastUpdated.from - 1 })
  }
  const own = await readEvents(patient.calls, { ...range, types, limit: limit + 50 })
  const series = await readEvents(patient.calls, {
    ...range,
    types: types.map(type => `series:${type}`),
    limit: maxSeries + 1
  })
  if (series.events.length >= series.limit)
    refuse('too-costly', `There are more than ${maxSeries} series in this time. Limit the search by "date"`)
  const sources = [{ items: own.events, hasMore: own.events.length >= own.limit }]
  for (const holder of series.events) {
    const items = await readPoints(patient, holder, { from, to, order, limit })
    sources.push({ items, hasMore: items.length >= limit })
    // Other work must not wait for all series.
    await nextTurn()
  }
  return sources
}
