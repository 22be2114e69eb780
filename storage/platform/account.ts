/** An account, and the claim that creates one. */
import { AccountClosing, AccountGone, AccountMoved, AccountSuspended } from '../errors.js'

export type AccountState = 'creating' | 'active' | 'deleting'

/** An account as the platform file records it. */
export interface Account {
  readonly id: string
  readonly username: string
  readonly state: AccountState
  /** Seconds. */
  readonly created: number
  /** URL of the server it has moved to; `null` while it is served here. */
  readonly relocatedTo: string | null
  /** Since when an operator lets nobody use it, in seconds; `null` while it is open. */
  readonly suspended: number | null
  /** Bytes that it may store, 0 for any number; `null` for what the settings say. */
  readonly quota: number | null
  /** When it will be deleted at its owner's request, in seconds, closed until then; `null` while it is open. */
  readonly deletion: number | null
}

/** How an account stands that nobody has moved, suspended, limited or closed. */
export const initialStatus = { relocatedTo: null, suspended: null, quota: null, deletion: null } as const

/** What a new account reserves for itself. */
export interface Claim {
  readonly id: string
  readonly username: string
  /** Seconds. */
  readonly created: number
  /** Values that no other account may have, by field. */
  readonly unique: Readonly<Record<string, string | number>>
  /** The invitation that this account uses up. */
  readonly invitationToken?: string
}

/** Commands after which an account may be found, or no more, or otherwise than before. */
export const stateCommands: ReadonlySet<string> = new Set([
  'leave',
  'giveUp',
  'relocate',
  'suspend',
  'limit',
  'scheduleDeletion',
  'leaveDue'
])

/** The error that calls in flight on an account fail with, if it is not served here. */
export function toUnavailableError({
  deletion,
  relocatedTo,
  state,
  suspended,
  username
}: Account): Error | undefined {
  if (state === 'deleting') return new AccountGone(username)
  if (relocatedTo !== null) return new AccountMoved(relocatedTo)
  if (suspended !== null) return new AccountSuspended()
  return deletion === null ? undefined : new AccountClosing(deletion)
}
