/** Reads events and data points that are named by their ids. */
import { ApiError } from '../../core/errors.js'
import { measureJson } from '../../core/json/writer.js'
import type { Event } from '../../schemas/event.js'
import { runInTurns } from '../../storage/steps.js'
import { maxPageLength } from './bundle.js'
import { formatCursor, parseCursor } from './cursor.js'
import { meetsDates, type EventSearch, type FoundPage } from './event-pages.js'
import { refuse } from './outcome.js'
import type { Patient } from './patient.js'
import { readItem } from './points.js'
import type { Search } from './search-params.js'

/** Maximum number of ids in a search: each is a call. */
const maxIds = 20

/**
 * Returns the resources with these ids that meet a search. Others are omitted, as are those that may not be read. Refuses
 * more than 20 ids with `too-costly`.
 */
export async function readItemsById(
  patient: Patient,
  search: Search,
  events: EventSearch
): Promise<FoundPage> {
  const lists = search.listValues('_id')
  const ids = [...new Set(lists[0])].filter(id => lists.every(list => list.includes(id)))
  if (ids.length > maxIds) refuse('too-costly', `A search can name at most ${maxIds} ids`)
  const resources: object[] = []
  let at = search.page === undefined ? 0 : parseCursor(search.page).skip
  for (let length = 0; at < ids.length && resources.length < search.count && length < maxPageLength; at++) {
    const event = await findItem(patient, ids[at]!)
    const resource = event && meetsDates(events, event) ? events.convert(event) : undefined
    if (!resource) continue
    resources.push(resource)
    length += await runInTurns(measureJson(resource, new Map()))
  }
  return { resources, next: at < ids.length ? formatCursor({ skip: at }) : undefined }
}

/** Reads an event; `undefined` if it does not exist, was deleted, or may not be read. */
async function findItem(patient: Patient, id: string): Promise<Event | undefined> {
  try {
    return await readItem(patient, id)
  } catch (error) {
    if (error instanceof ApiError && [403, 404, 410].includes(error.status)) return undefined
    throw error
  }
}
