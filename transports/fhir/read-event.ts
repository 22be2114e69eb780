/** Reads one event. */
import type { Event } from '../../schemas/event.js'
import { omitReferencesIn } from './originals.js'
import { refuse } from './outcome.js'
import { isOfPatient, type Patient } from './patient.js'
import { markTrashed } from './trash.js'

/**
 * Reads an event, as trashed if its streams are, and without references in an imported resource. Errors: the errors of the call, and
 * 410 for an event that has been deleted, and 404 for one that is about another person.
 */
export async function readEvent({ calls }: Patient, id: string): Promise<Event> {
  const { event } = await calls.call<{ event: Event | { deleted: number } }>('events.getOne', { id })
  if ('deleted' in event) return refuse('deleted', 'This resource has been deleted', 410)
  if (!isOfPatient(event)) return refuse('not-found', 'This is about another person', 404)
  const [copy] = await omitReferencesIn(await markTrashed(calls, [event]))
  return copy!
}
