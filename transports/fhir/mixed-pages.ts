/** Pages of events and data points together, in order of time. */
import { measureJson } from '../../core/json/writer.js'
import type { Event } from '../../schemas/event.js'
import { nextTurn, runInTurns, type Steps } from '../../storage/steps.js'
import { advance, listBeginning, readEventsAfter } from '../event-positions.js'
import { readEvents } from '../user-calls.js'
import { maxPageLength } from './bundle.js'
import { formatCursor, parseCursor, type Cursor, type Place } from './cursor.js'
import {
  mayBeFound,
  prepareEvents,
  readEventPage,
  toList,
  type EventSearch,
  type FoundPage
} from './event-pages.js'
import { refuse } from './outcome.js'
import { isOfPatient, type Patient } from './patient.js'
import { createSample, parsePointId, readPoints, type PointRange } from './points.js'
import type { Search } from './search-params.js'

/** Maximum number of series that a page reads: the points of each are a call. */
const maxSeries = 20
/** Seconds between the beginning of a series and the end of a page that must not reach it: more than times are rounded by. */
const rounding = 2e-6
/** Number of series that are read at once if the first ones include such that do not count. */
const maxOthersRead = 1000

type TimeRange = Pick<PointRange, 'from' | 'to'>

/** What one source has: items in order, and whether there are more. */
interface Source {
  readonly items: readonly Event[]
  readonly hasMore: boolean
}

/** What a page is made of. */
interface Sources {
  readonly sources: readonly Source[]
  /** Where the page ends, in seconds: from there on, further series have points. */
  readonly end: number | undefined
  /** The cursor as it is now. */
  readonly start: Cursor
}

/** Returns a page of resources. Throws if more series than {@link maxSeries} overlap where it begins. */
export async function readMixedPage(
  patient: Patient,
  search: Search,
  events: EventSearch
): Promise<FoundPage> {
  // Pages of events alone are fuller where few have the code.
  if ((await readHolders(patient, events, toList(events))).length === 0)
    return await readEventPage(patient, search, events)
  const cursor = search.page === undefined ? listBeginning : parseCursor(search.page)
  const sources = await readSources(patient, events, cursor, search.count + 1)
  return await runInTurns(mergeSources(sources, events, search.count))
}

/**
 * Takes resources from the sources in order of time: of the same time, events come before points, and the points of one series
 * before those of the next. Ends after so many resources or {@link maxPageLength}, or where there may be an item that has not been
 * read.
 */
function* mergeSources(
  { end, sources, start }: Sources,
  events: EventSearch,
  count: number
): Steps<FoundPage> {
  const list = toList(events)
  const direction = events.order === 'ascending' ? 1 : -1
  const items = sources
    .flatMap((source, index) =>
      source.items.map((event, at) => ({
        event,
        index,
        isLastRead: source.hasMore && at === source.items.length - 1
      }))
    )
    // Stable: the items of each source stay in its order.
    .toSorted((a, b) => direction * (a.event.time - b.event.time) || a.index - b.index)
  const resources: object[] = []
  let cursor = start
  let size = 0
  for (const { event, index, isLastRead } of items) {
    if (end !== undefined && direction * (event.time - end) >= 0) break
    const resource = mayBeFound(events, event) ? events.convert(event) : undefined
    if (resource && (resources.length === count || size >= maxPageLength))
      return { resources, next: formatCursor(cursor) }
    if (resource) {
      resources.push(resource)
      size += yield* measureJson(resource, new Map())
    }
    const isOwn = index === 0
    cursor = {
      ...(isOwn ? advance(cursor, event, list) : cursor),
      place: { time: event.time, pointId: isOwn ? '' : event.id }
    }
    if (isLastRead) return { resources, next: formatCursor(cursor) }
    yield
  }
  const next = end === undefined ? undefined : formatCursor({ ...cursor, place: { time: end, pointId: '' } })
  return { resources, next }
}

/** Reads the events after a cursor, and the points of the series that come next. */
async function readSources(
  patient: Patient,
  events: EventSearch,
  cursor: Cursor,
  limit: number
): Promise<Sources> {
  const list = toList(events)
  const own = await readEventsAfter(patient.calls, list, cursor, limit + 50)
  const sources = [
    { items: await prepareEvents(patient.calls, events, own.events), hasMore: own.events.length >= own.limit }
  ]
  const { place } = cursor
  const { order } = events
  const rest = {
    from: order === 'ascending' && place ? Math.max(list.from, place.time) : list.from,
    to: order === 'descending' && place ? Math.min(list.to, place.time) : list.to
  }
  const { end, holders } = await findHolders(patient, events, rest)
  for (const holder of holders) {
    sources.push(await readSource(patient, holder, { ...rest, order, limit }, place))
    // Other work must not wait for all series.
    await nextTurn()
  }
  return { sources, end, start: { ...own.position, place } }
}

/**
 * Finds the series that come next in a range, in order of their ids. `end`: where further ones may have points; `undefined`: there are
 * none. Refuses if too many overlap.
 */
async function findHolders(
  patient: Patient,
  events: EventSearch,
  range: TimeRange
): Promise<{ readonly holders: readonly Event[]; readonly end: number | undefined }> {
  const found = await readHolders(patient, events, range)
  if (found.length <= maxSeries) return { holders: sortById(found), end: undefined }
  if (events.order === 'ascending') {
    const end = found[maxSeries]!.time - rounding
    if (end > range.from) return { holders: sortById(found.slice(0, maxSeries)), end }
  } else
    // Those that began last, with those that reach the beginning of one of them: these may have begun long before.
    for (let at = maxSeries - 1; ; at = Math.floor(at / 2)) {
      // Where they begin, they are read, too: the next page ends before.
      const end = found[at]!.time - rounding
      const from = end - rounding
      const holders = end < range.to ? await readHolders(patient, events, { ...range, from }) : found
      if (holders.length <= maxSeries) return { holders: sortById(holders), end }
      if (at === 0) break
    }
  return refuse(
    'too-costly',
    `More than ${maxSeries} series overlap. Limit the search by "date" to a time when fewer do`
  )
}

function sortById(holders: readonly Event[]): Event[] {
  return holders.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Reads the first series in a range, in order of their beginnings: one more than {@link maxSeries} if there are more. Those of other
 * people, and those whose points are not searched for, such as temperatures of rooms, do not count.
 */
async function readHolders(
  { calls }: Patient,
  events: EventSearch,
  { from, to }: TimeRange
): Promise<readonly Event[]> {
  if (from > to) return []
  const query = {
    ...toList(events).params,
    types: events.types.map(type => `series:${type}`),
    sortAscending: events.order === 'ascending',
    // The rounded time of a point may be outside of its series.
    fromTime: from - rounding / 2,
    toTime: to + rounding / 2
  }
  const holders: Event[] = []
  for (let skip = 0; ;) {
    const limit = skip === 0 ? maxSeries + 1 : maxOthersRead
    const read = await readEvents(calls, { ...query, skip, limit })
    skip += read.events.length
    const prepared = await prepareEvents(calls, events, read.events.filter(isOfPatient))
    holders.push(...(await runInTurns(selectHolders(events, prepared))))
    if (holders.length > maxSeries || read.events.length < read.limit) return holders.slice(0, maxSeries + 1)
  }
}

/** Returns the series whose points may be found. In steps: names of streams may be long. */
function* selectHolders(events: EventSearch, holders: readonly Event[]): Steps<Event[]> {
  const selected: Event[] = []
  for (const holder of holders) {
    if (events.convert(createSample(holder))) selected.push(holder)
    yield
  }
  return selected
}

/** Reads the next points of a series: at least one, unless there are no more. `last`: the last item that has been read. */
async function readSource(
  patient: Patient,
  holder: Event,
  range: PointRange,
  last: Place | undefined
): Promise<Source> {
  const read = await readPoints(patient, holder, range)
  const items = last ? read.filter(point => comesAfter(point, holder.id, last, range.order)) : read
  const hasMore = read.length >= range.limit
  // Many points may be of the time at which the page begins.
  if (items.length === 0 && hasMore)
    return await readSource(patient, holder, { ...range, limit: range.limit * 8 }, last)
  return { items, hasMore }
}

/** Returns whether a point comes after the last item that has been read. */
function comesAfter(
  { id, time }: Event,
  holderId: string,
  last: Place,
  order: EventSearch['order']
): boolean {
  const isAfter = (a: number, b: number): boolean => (order === 'ascending' ? a > b : a < b)
  if (time !== last.time) return isAfter(time, last.time)
  if (last.pointId === '') return true
  const [place, before] = [parsePointId(id)!, parsePointId(last.pointId)]
  if (!before || holderId !== before.holderId) return before !== undefined && holderId > before.holderId
  return isAfter(place.deltaTime, before.deltaTime)
}
