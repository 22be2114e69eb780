/** An account, and the claim that creates one. */
import { AccountClosing, AccountGone, AccountMoved, AccountSuspended } from '../errors.js'

type AccountState = 'creating' | 'active' | 'deleting'

/** An account as the platform file records it. */
export interface Account {
  readonly id: string
  /** The current user name; in the view of a caller by an access alias, that alias. */
  readonly username: string
  /** The access alias by which it was found. Only the token of that access is valid then. */
  readonly alias?: string
  /** The former names of the account, oldest first; absent where they were not looked up. */
  readonly formerUsernames?: readonly string[]
  readonly state: AccountState
  /** Seconds. */
  readonly created: number
  /** URL of the server it has moved to; `null` while it is served here. */
  readonly relocatedTo: string | null
  /** When an operator suspended the account, in seconds; `null` if it is not suspended. */
  readonly suspended: number | null
  /** Storage limit in bytes, 0 for unlimited; `null` for the default from the settings. */
  readonly quota: number | null
  /**
   * When the account will be deleted at its owner's request, in seconds; the account is closed until then. `null` if no
   * deletion is scheduled.
   */
  readonly deletion: number | null
}

/** The status of an account that has not been moved, suspended, limited or closed. */
export const initialStatus = {
  relocatedTo: null,
  suspended: null,
  quota: null,
  deletion: null
} as const

/** What a new account reserves for itself. */
export interface Claim {
  readonly id: string
  readonly username: string
  /** Seconds. */
  readonly created: number
  /** Values that must be unique across accounts, by field. */
  readonly unique: Readonly<Record<string, string | number>>
  /** Token of the invitation that this account uses up. */
  readonly invitationToken?: string
  /** For a copy of an account: its former names, oldest first. Names that are taken are omitted. */
  readonly formerUsernames?: readonly string[]
}

/** Commands that change whether and how an account is found. */
export const stateCommands: ReadonlySet<string> = new Set([
  'leave',
  'giveUp',
  'relocate',
  'suspend',
  'limit',
  'scheduleDeletion',
  'leaveDue',
  'changeUsername'
])

/** Returns the error with which calls in flight on an account fail; `undefined` if the account is served here. */
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

/** Returns whether an account was found as unavailable for this reason: then its owner or an operator uses it on purpose. */
export function isFoundUnavailable({ deletion, suspended }: Account, reason: Error): boolean {
  if (reason instanceof AccountClosing) return deletion !== null
  return reason instanceof AccountSuspended && suspended !== null
}
