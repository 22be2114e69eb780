/** Reads events in pieces that occupy neither the service nor its memory for long. */
import { ApiError } from '../core/errors.js'
import type { Event } from '../schemas/event.js'
import type { UserCalls } from './user-calls.js'

/** Number of characters that are read at once. An event that has more is read by itself. */
const maxLength = 1024 * 1024

/**
 * Reads events; fewer if the response would be too long. `limit` in the result: the number of events that were asked for in the
 * end. Errors: the errors of `events.get`.
 */
export async function readEvents(
  calls: UserCalls,
  params: Readonly<Record<string, unknown>> & { readonly limit: number }
): Promise<{ readonly events: readonly Event[]; readonly limit: number }> {
  const { limit } = params
  try {
    const longest = limit > 1 ? maxLength : Infinity
    const { events } = await calls.call<{ events: Event[] }>('events.get', params, longest)
    return { events, limit }
  } catch (error) {
    if (!(error instanceof ApiError && error.id === 'too-many-results' && limit > 1)) throw error
    return await readEvents(calls, { ...params, limit: Math.ceil(limit / 8) })
  }
}
