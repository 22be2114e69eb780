/**
 * The storage quota of accounts. Beyond it, writes are refused, while reads and deletions are not.
 * (docs/spec/limits.md#quota)
 */
import type { UserStore } from '../../storage/user/user-store.js'
import { ApiError } from '../errors.js'
import type { Call, UserMethod } from '../call/method.js'
import type { Services } from '../call/services.js'

/** Returns the bytes left in the account of an existing user; `Infinity` without a quota. */
export function roomOf({ accounts, config: { quota } }: Services, user: string): number {
  const account = quota.bytes === 0 ? undefined : accounts.find(user)
  return account ? quota.bytes - total(accounts.store(account)) : Infinity
}

/**
 * Call it before a write, and the returned function after it: that throws `user-intervention-required` if the write
 * has exceeded the quota.
 */
export function quotaCheck({ mayExceedQuota }: UserMethod, { services, store }: Call): () => void {
  if (mayExceedQuota || services.config.quota.bytes === 0) return unlimited
  const before = total(store)
  return () => mustBeWithin(services, store, before)
}

function unlimited(): void {
  // No quota applies.
}

/** Returns the error for exceeding the quota. */
export function quotaExceeded({ config: { quota } }: Pick<Services, 'config'>): ApiError {
  return new ApiError(
    'user-intervention-required',
    `The account may store ${quota.bytes} bytes, which this would exceed. Delete something first`,
    { data: { quota: quota.bytes } }
  )
}

function mustBeWithin(services: Services, store: UserStore, before: number): void {
  const after = total(store)
  // Writes that reduce the usage are allowed even beyond the quota.
  if (after > services.config.quota.bytes && after > before) throw quotaExceeded(services)
}

function total(store: UserStore): number {
  const { attachments, documents } = store.storageUsed()
  return attachments + documents
}
