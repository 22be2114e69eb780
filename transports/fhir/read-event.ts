/** Reads one event. */
import type { Event } from '../../schemas/event.js'
import { refuse } from './outcome.js'
import type { Patient } from './patient.js'

/** Reads an event. Errors: the errors of the call, and 410 for an event that has been deleted. */
export async function readEvent({ calls }: Patient, id: string): Promise<Event> {
  const { event } = await calls.call<{ event: Event | { deleted: number } }>('events.getOne', { id })
  return 'deleted' in event ? refuse('deleted', 'This resource has been deleted', 410) : event
}
