/**
 * What an account's former address is still to be told: kept with the change itself, so that nothing is told of a change that
 * was undone, nor a change forgotten that was not.
 */
import type { UserStore } from '../../../storage/user/user-store.js'
import { takeMessage } from './message-count.js'

export interface Notice {
  /** Who is told: the address that counted before. */
  readonly to: string
  /** The new address, veiled. */
  readonly address: string
  /** The app that has set it; absent if the person has. */
  readonly by?: string
}

const name = 'email-notices'

/** Adds a notice, unless there have been too many recently. Only within a write. */
export function addNotice(store: UserStore, notice: Notice, now: number): void {
  const kind = notice.by === undefined ? 'change' : 'notice'
  if (takeMessage(store, kind, now)) store.signIn.setState(name, [...pending(store), notice])
}

/** Takes the first of the notices out; tells whether there are more. Only within a write. */
export function takeNotice(store: UserStore): { notice: Notice; hasMore: boolean } | undefined {
  const [notice, ...others] = pending(store)
  if (!notice) return undefined
  if (others.length === 0) store.signIn.removeState(name)
  else store.signIn.setState(name, others)
  return { notice, hasMore: others.length > 0 }
}

/** Whether somebody is still to be told something. */
export function hasNotices(store: UserStore): boolean {
  return pending(store).length > 0
}

function pending(store: UserStore): readonly Notice[] {
  return (store.signIn.state(name) as readonly Notice[] | undefined) ?? []
}
