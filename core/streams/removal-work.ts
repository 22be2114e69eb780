/** Adds up the work of removing events in one write. */
import { NeedsSteps } from '../../storage/errors.js'
import type { UserStore } from '../../storage/user/user-store.js'

/**
 * Returns a function to call before each event that a write removes or replaces. It throws `NeedsSteps` once these events, with their
 * versions and points, amount to more than may be done at once, unless the store is a draft.
 */
export function createRemovalWork(store: UserStore): (id: string) => void {
  let share = 0
  return id => {
    if (store.isDraft) return
    share += store.history.measureEvent(id)
    if (share > 1) throw new NeedsSteps()
  }
}
