/** Reads events that are named by their ids. */
import { ApiError } from '../../core/errors.js'
import type { Event } from '../../schemas/event.js'
import { meetsDates, type EventSearch } from './event-pages.js'
import { refuse } from './outcome.js'
import type { Patient } from './patient.js'

/** Maximum number of ids in a search: each is a call. */
const maxIds = 20

/** Reads an event. Errors: those of the call, and 410 for an event that has been deleted. */
export async function readEvent({ calls }: Patient, id: string): Promise<Event> {
  const { event } = await calls.call<{ event: Event | { deleted: number } }>('events.getOne', { id })
  return 'deleted' in event ? refuse('deleted', 'This resource has been deleted', 410) : event
}

/** Returns the resources with these ids that meet a search. Others are omitted, as are those that may not be read. */
export async function readEventsById(
  patient: Patient,
  lists: readonly (readonly string[])[],
  search: EventSearch
): Promise<{ readonly resources: object[] }> {
  const ids = [...new Set(lists[0])].filter(id => lists.every(list => list.includes(id)))
  if (ids.length > maxIds) refuse('too-costly', `A search can name at most ${maxIds} ids`)
  const resources: object[] = []
  for (const id of ids) {
    const event = await findEvent(patient, id)
    const resource = event && meetsDates(search, event) ? search.convert(event) : undefined
    if (resource) resources.push(resource)
  }
  return { resources }
}

async function findEvent(patient: Patient, id: string): Promise<Event | undefined> {
  try {
    return await readEvent(patient, id)
  } catch (error) {
    if (error instanceof ApiError && [403, 404, 410].includes(error.status)) return undefined
    throw error
  }
}
