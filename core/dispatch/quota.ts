/**
 * Enforces the storage quota of accounts. Writes beyond the quota are refused, but not reads and deletions.
 * (docs/spec/limits.md#quota)
 */
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { ApiError } from '../errors.js'
import type { Call, UserMethod } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { Config } from '../settings/config.js'

/**
 * Returns the bytes left in the account of a user, negative if the quota is exceeded; `Infinity` without a
 * quota or an account.
 */
export function getBytesLeft({ accounts, config }: Services, user: string): number {
  const account = accounts.find(user)
  const quota = account ? getQuota(config, account) : 0
  return account && quota > 0 ? quota - getUsedBytes(accounts.openStore(account)) : Infinity
}

/** Returns the bytes that an account may store; 0 means unlimited. The quota that an operator has set takes precedence over the settings. */
export function getQuota({ quota }: Pick<Config, 'quota'>, account: Pick<Account, 'quota'>): number {
  return account.quota ?? quota.bytes
}

/**
 * Notes the usage before a write, and returns a function to call after it. The returned function throws
 * `user-intervention-required` if the write has exceeded the quota. Writes that reduce the usage, or leave it
 * as it is, always pass.
 */
export function createQuotaCheck(
  { mayExceedQuota }: Pick<UserMethod, 'mayExceedQuota'>,
  call: Call
): () => void {
  const { account, services, store } = call
  const quota = getQuota(services.config, account)
  if (mayExceedQuota || quota === 0) return ignoreQuota
  const before = getUsedBytes(store)
  return () => {
    if (!call.mayExceedQuota) assertWithinQuota(quota, store, before)
  }
}

function ignoreQuota(): void {
  // No quota applies.
}

/** Creates the error for exceeding a quota (bytes). */
export function createQuotaError(quota: number): ApiError {
  return new ApiError(
    'user-intervention-required',
    `This would exceed the storage limit of ${quota} bytes. Delete something first`,
    { data: { quota } }
  )
}

function assertWithinQuota(quota: number, store: UserStore, before: number): void {
  const after = getUsedBytes(store)
  // Writes that reduce the usage are allowed even beyond the quota.
  if (after > quota && after > before) throw createQuotaError(quota)
}

function getUsedBytes(store: UserStore): number {
  const { attachments, documents } = store.storageUsed()
  return attachments + documents
}
