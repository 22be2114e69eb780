/** Replaces a password that others may know. (docs/spec/authentication.md#resetting-a-password) */
import type { PasswordRecord } from '../../storage/repositories/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { resetMessageCount } from '../account/email/message-count.js'
import type { Changes } from '../changes.js'

/**
 * Stores the password, ends all sessions, and makes links and sign-ins that wait for a second factor invalid.
 * Tokens of app and shared accesses stay valid. Must run within a transaction. Does not notify the user.
 */
export function replacePassword(store: UserStore, password: PasswordRecord, changes: Changes): void {
  store.account.insertPassword(password)
  store.signIn.removeAll('reset')
  store.signIn.removeAll('mfa')
  resetMessageCount(store, 'reset')
  for (const { id } of store.accesses.listPersonal())
    if (store.sessions.end(id)) changes.add('sessions', [], id)
  changes.add('account')
}
