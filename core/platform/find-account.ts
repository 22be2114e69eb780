/** Finds accounts by user name or email address, and lists all. (docs/spec/registration.md#finding-an-account) */
import { ApiError, fail, quoteText } from '../errors.js'
import { getCoreUrl } from '../service-info.js'
import { refuseUnknownUser } from '../unknown-user.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Guess } from '../security/throttle.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Returns the account of a user name in any letter case, on any server. Throws `unknown-resource`. Also finds
 * those that are suspended, or about to be deleted.
 */
export function requireAccount({ accounts, platform }: Services, username: string): Account {
  const name = username.toLowerCase()
  const account = accounts.findOwn(name) ?? platform.find(name)
  return account?.state === 'active' ? account : fail('unknown-resource', `Unknown user ${quoteText(name)}`)
}

/** Returns the account of a user name that is served here. Throws `unknown-resource`, `user-account-relocated`. */
export function requireServedAccount({ accounts }: Services, username: string): Account {
  const name = username.toLowerCase()
  return accounts.findOwn(name) ?? refuseUnknownUser(accounts, name)
}

/** Returns the root URL of the server that holds an account, also if it has moved, ending in a slash. */
export function getServerUrl(
  { config, shard }: Pick<Services, 'config' | 'shard'>,
  { relocatedTo, username }: Account
): string {
  if (relocatedTo !== null) return `${new URL(relocatedTo).origin}/`
  return normalizeNodeUrl(shard.getUrl?.(username)) ?? getCoreUrl(config)
}

/** Returns the root URL of the server that new accounts are made on, ending in a slash. */
export function getOwnServerUrl({ config, shard }: Pick<Services, 'config' | 'shard'>): string {
  return normalizeNodeUrl(shard.getUrl?.()) ?? getCoreUrl(config)
}

function normalizeNodeUrl(url = ''): string | undefined {
  if (url === '') return undefined
  return url.endsWith('/') ? url : `${url}/`
}

/**
 * Returns the account of an email address. Throws `unknown-resource`, `too-many-requests`, and `unavailable-method` if
 * look-ups by email address are off. Unknown addresses count as failures of look-ups only: an attacker may try many,
 * and other users at the same address have to be able to sign in. (docs/spec/limits.md#guessing)
 */
export function findAccountByEmail(
  { config, platform, throttle }: Services,
  { ip }: Credentials,
  email: string
): Account {
  if (!config.registration.emailLookup) {
    const message = 'Looking up email addresses is turned off (registration.emailLookup)'
    throw new ApiError('unavailable-method', message, { status: 405 })
  }
  const guess: Guess = { subject: `email ${email}`, ip, isLookUp: true }
  throttle.check(guess)
  throttle.lookUp(ip)
  const account = platform.findByUnique('email', email)
  if (account?.state === 'active') return account
  throttle.failed(guess)
  return fail('unknown-resource', 'Unknown email address')
}

/** Accounts read from the platform database at a time. */
const pageSize = 100

/** Yields all active accounts, read page by page: they are never all in memory. */
export async function* iterateActiveAccounts({
  platform
}: Pick<Services, 'platform'>): AsyncGenerator<Account> {
  for (let after = ''; ;) {
    const page = platform.listActive(after, pageSize)
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)!.username
  }
}
