/** Finds the account of a call that needs a token. (docs/spec/accounts.md#deleting-an-account) */
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import { refuseUnknownUser } from '../unknown-user.js'
import { authenticate } from './authenticate.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Returns the open account of this name. Throws `unknown-resource`, `user-account-relocated`, and `forbidden` for an
 * account that is suspended or closed. Only callers with a valid token learn that it is closed: others get
 * `invalid-access-token`, as if the account were open.
 */
export function requireOpenAccount(services: Services, username: string, credentials: Credentials): Account {
  const { accounts, clock } = services
  const account = accounts.find(username)
  if (account) return account
  const closing = accounts.findClosing(username)
  if (closing) {
    const store = accounts.store(closing)
    store.read(() => authenticate({ services, account: closing, store, credentials, now: clock.now() }))
  }
  return refuseUnknownUser(accounts, username)
}
