/** Accounts by what clients know of their owners. (supplement 6.1) */
import type { Account } from '../storage/platform-store.js'
import { fail } from './errors.js'
import type { Core } from './method.js'
import { emailKey } from './registration.js'

/** The account of a user name, whatever its letter case; raises `unknown-resource`. */
export function accountOf({ accounts }: Core, username: string): Account {
  return accounts.find(username.toLowerCase()) ?? fail('unknown-resource', 'Unknown user')
}

/** The account of an e-mail address; raises `unknown-resource`. */
export function accountByEmail({ platform }: Core, email: string): Account {
  const account = platform.findByUnique('email', emailKey(email))
  return account?.state === 'active' ? account : fail('unknown-resource', 'Unknown e-mail address')
}
