/** Runs methods that write, with everything that belongs to the same transaction. */
import type { Call, Result, UserMethod } from '../call/method.js'
import { quotaCheck } from './quota.js'
import { NeedsSteps, Unreserved } from '../../storage/errors.js'
import { runSteps, type Steps } from '../../storage/steps.js'
import { enqueueMessages } from '../notifications/webhook-queue.js'
import type { UserStore } from '../../storage/user/user-store.js'

/**
 * Runs a method within its transaction: checks the quota, queues messages for webhooks, and requires that unique values are
 * reserved. Throws `NeedsSteps` for what takes long on a store that is not a draft, and `Unreserved`.
 */
export function* runWrite(
  definition: UserMethod,
  call: Call,
  params: unknown,
  prepared: unknown
): Steps<Result> {
  const finish = beginWrite(definition, call)
  const result = yield* runMethod(definition, call, params, prepared)
  yield* finish()
  call.store.unique.assertReserved()
  return result
}

/**
 * Begins what is written together in one transaction, and returns what ends it: that checks the quota, and queues messages for
 * webhooks. `mayTakeLong`: whether it does so without steps as well.
 */
export function beginWrite(
  rules: Pick<UserMethod, 'mayExceedQuota'>,
  call: Call
): (mayTakeLong?: boolean) => Steps<void> {
  call.store.audit.lastWritten.clear()
  const checkQuota = quotaCheck(rules, call)
  return function* (mayTakeLong) {
    // SQLite has copied what is large, and copies it again when it commits.
    yield
    checkQuota()
    yield* enqueueMessages(call, mayTakeLong)
  }
}

/** Runs a method at once. */
export function runAtOnce(definition: UserMethod, call: Call, params: unknown, prepared?: unknown): Result {
  return definition.isLong ? runSteps(definition.run(call, params)) : definition.run(call, params, prepared)
}

function* runMethod(definition: UserMethod, call: Call, params: unknown, prepared: unknown): Steps<Result> {
  return definition.isLong ? yield* definition.run(call, params) : definition.run(call, params, prepared)
}

/** Whether an error says that a write, which is undone, has to be made in another way. */
export function mustRunAlone(error: unknown): boolean {
  return error instanceof NeedsSteps || error instanceof Unreserved
}

/** Whether a call is to be made in steps. Errors in its params are reported when it runs. */
export function isLong(definition: UserMethod, store: UserStore, params: unknown): boolean {
  return definition.isLong !== undefined && store.read(() => definition.isLong(store, params))
}
