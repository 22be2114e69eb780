/** How much an account may store. Beyond it writes are refused, while reads and deletions go on. (docs/spec/limits.md#quota) */
import type { UserStore } from '../../storage/user/user-store.js'
import { ApiError } from '../errors.js'
import type { Call, UserMethod } from '../call/method.js'
import type { Steps } from '../../storage/steps.js'
import type { Services } from '../call/services.js'

/** Bytes that still fit into the account of an existing user; `Infinity` without a quota. */
export function roomOf({ accounts, config: { quota } }: Services, user: string): number {
  const account = quota.bytes === 0 ? undefined : accounts.find(user)
  return account ? quota.bytes - total(accounts.store(account)) : Infinity
}

/** Runs a write; if the account outgrows its quota by it, it is undone: `user-intervention-required`. */
export function withinQuota<T>({ mayExceedQuota }: UserMethod, { core, store }: Call, run: () => T): T {
  if (mayExceedQuota || core.config.quota.bytes === 0) return run()
  const before = total(store)
  const result = run()
  mustFit(core, store, before)
  return result
}

/** As {@link withinQuota}, in steps. */
export function* withinQuotaInSteps<T>(
  { mayExceedQuota }: UserMethod,
  { core, store }: Call,
  steps: Steps<T>
): Steps<T> {
  if (mayExceedQuota || core.config.quota.bytes === 0) return yield* steps
  const before = total(store)
  const result = yield* steps
  mustFit(core, store, before)
  return result
}

/** The refusal of what does not fit any more. */
export function quotaExceeded({ config: { quota } }: Pick<Services, 'config'>): ApiError {
  return new ApiError(
    'user-intervention-required',
    `The account may store ${quota.bytes} bytes: this does not fit any more. Delete something first`,
    { data: { quota: quota.bytes } }
  )
}

function mustFit(core: Services, store: UserStore, before: number): void {
  const after = total(store)
  // What makes less of something too large is welcome.
  if (after > core.config.quota.bytes && after > before) throw quotaExceeded(core)
}

function total(store: UserStore): number {
  const { attachments, documents } = store.storageUsed()
  return attachments + documents
}
