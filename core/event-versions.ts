/** The earlier versions of an event that a caller may know of, as a list. (service.md, Event history; supplement 8.3) */
import type { UserStore } from '../storage/user-store.js'
import { presenter } from './event-view.js'
import type { Listing } from './json.js'
import type { Call } from './method.js'

/**
 * Versions by time of modification. Whoever could not have read the event where it was then does not see what it was:
 * it may have been moved here since.
 */
export function eventVersions(call: Call, id: string): Listing<UserStore> {
  const { caller } = call
  const present = presenter(call)
  let last = -Infinity
  return {
    next({ history }) {
      const page = history.versions(id, last)
      last = page.at(-1)?.modified ?? last
      const visible = page.filter(({ paths }) => caller.couldReadEvent(paths))
      return {
        text: visible.map(({ body }) => present(body)).join(','),
        count: visible.length,
        done: page.length === 0
      }
    }
  }
}
