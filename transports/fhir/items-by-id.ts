/** Reads events and data points that are named by their ids. */
import { measureJson } from '../../core/json/writer.js'
import { runInTurns } from '../../storage/steps.js'
import { compareKeys, maxPageLength, takePage, type ListKey } from './bundle.js'
import { mayBeFound, type EventSearch, type FoundPage } from './event-pages.js'
import { ifFound, refuse } from './outcome.js'
import type { Patient } from './patient.js'
import { readItem } from './points.js'
import type { Search } from './search-params.js'

/** Maximum number of ids in a search: each is a call. */
const maxIds = 20

/** A resource that was found, and its place in the order. */
interface Found {
  readonly id: string
  readonly key: ListKey
  /** Absent if it is read again, since the others are so large. */
  readonly resource: object | undefined
}

/**
 * Returns the resources with these ids that meet a search, in its order. Others are omitted, as are those that may not be read.
 * Refuses more than 20 ids with `too-costly`.
 */
export async function readItemsById(
  patient: Patient,
  search: Search,
  events: EventSearch
): Promise<FoundPage> {
  const lists = search.listValues('_id')
  const ids = [...new Set(lists[0])].filter(id => lists.every(list => list.includes(id)))
  if (ids.length > maxIds) refuse('too-costly', `A search can name at most ${maxIds} ids`)
  const all: Found[] = []
  let length = 0
  for (const id of ids) {
    const found = await findItem(patient, id, events)
    if (!found) continue
    if (length < maxPageLength) length += await runInTurns(measureJson(found.resource, new Map()))
    all.push(length < maxPageLength ? found : { ...found, resource: undefined })
  }
  all.sort((a, b) => compareKeys(a.key, b.key))
  return await takePage(
    all,
    search,
    ({ key }) => key,
    async ({ id, resource }) => resource ?? (await findItem(patient, id, events))?.resource
  )
}

/** Reads an event or a point; `undefined` if there is none that meets the search. */
async function findItem(patient: Patient, id: string, events: EventSearch): Promise<Found | undefined> {
  const event = await ifFound(readItem(patient, id))
  const resource = event && mayBeFound(events, event) ? events.convert(event) : undefined
  if (!event || !resource) return undefined
  return { id, key: { time: events.order === 'ascending' ? event.time : -event.time, id }, resource }
}
