/** Detects events that a caller may not see although it manages some of their streams. */
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from './caller.js'
import type { Steps } from '../../storage/steps.js'

/** The caller, and the store to search. */
interface Search {
  readonly caller: Caller
  readonly store: UserStore
}

/**
 * Returns whether any event in these streams is hidden from the caller by another of its streams. Those in
 * the trash count. In steps.
 */
export function* includesHiddenEvents(
  { caller, store: { events } }: Search,
  streams: readonly number[]
): Steps<boolean> {
  const { visibility } = caller
  if (visibility.everything || visibility.closed.size === 0) return false
  const run = events.query({
    streams: [{ any: new Set(streams), all: [visibility.closed], not: new Set() }],
    isRunning: false,
    trashed: [0, 1],
    order: 'DESC',
    skip: 0,
    limit: 1,
    present: body => body
  })
  for (;;) {
    const { count, done } = events.next(run)
    if (count > 0 || done) return count > 0
    yield
  }
}
