/** Events that are only in streams in the trash: searches omit them, and resources say that they are errors, like events in the trash. */
import type { Event } from '../../schemas/event.js'
import type { UserCalls } from '../user-calls.js'

/** Returns events, those as trashed whose streams are. At most 1,000. */
export async function markTrashed(calls: UserCalls, events: readonly Event[]): Promise<readonly Event[]> {
  const others = events.filter(({ trashed }) => trashed !== true)
  if (others.length === 0) return events
  const { ids } = await calls.call<{ ids: string[] }>('events.findTrashed', {
    ids: others.map(({ id }) => id)
  })
  const found = new Set(ids)
  return found.size === 0
    ? events
    : events.map(event => (found.has(event.id) ? { ...event, trashed: true } : event))
}
