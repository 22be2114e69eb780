/**
 * Pending notices to an account's previous address. They are stored in the transaction of the change itself, so that a
 * change that is rolled back is never announced, and a committed change always is.
 */
import type { UserStore } from '../../../storage/user/user-store.js'
import { countMessage } from './message-count.js'

interface Notice {
  /** The recipient: the address that was confirmed before. */
  readonly to: string
  /** The new address, masked. */
  readonly address: string
  /** The app that has set the address; absent if the user has. */
  readonly by?: string
}

const name = 'email-notices'

/** Adds a notice, unless there have been too many recently. Must run within a transaction. */
export function addNotice(store: UserStore, notice: Notice, now: number): void {
  const kind = notice.by === undefined ? 'change' : 'notice'
  if (countMessage(store, kind, now)) store.signIn.setState(name, [...listNotices(store), notice])
}

/**
 * Removes and returns the first notice, and whether there are more; `undefined` if there is none. Must run
 * within a transaction.
 */
export function takeNotice(store: UserStore): { notice: Notice; hasMore: boolean } | undefined {
  const [notice, ...others] = listNotices(store)
  if (!notice) return undefined
  if (others.length === 0) store.signIn.removeState(name)
  else store.signIn.setState(name, others)
  return { notice, hasMore: others.length > 0 }
}

/** Returns whether notices are pending. */
export function hasNotices(store: UserStore): boolean {
  return listNotices(store).length > 0
}

function listNotices(store: UserStore): readonly Notice[] {
  return (store.signIn.getState(name) as readonly Notice[] | undefined) ?? []
}
