/** Runs methods that write, with the rest of their transaction. */
import type { Call, Result, UserMethod } from '../call/method.js'
import { createQuotaCheck } from './quota.js'
import { NeedsSteps, Unreserved } from '../../storage/errors.js'
import { runSteps, type Steps } from '../../storage/steps.js'
import { enqueueMessages } from '../notifications/webhook-queue.js'
import { assertKept } from '../permissions/kept-copies.js'
import type { UserStore } from '../../storage/user/user-store.js'

/**
 * Runs a method within its transaction: checks the quota, queues messages for webhooks, and requires that
 * unique values are reserved. Throws `NeedsSteps` for a long call on a store that is not a draft,
 * `Unreserved`, and `user-intervention-required` beyond the quota.
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
 * Begins the writes of one transaction, and returns a function to run at their end, which checks the quota and queues messages for
 * webhooks. `mayTakeLong`: allows it to take long without a draft.
 */
export function beginWrite(
  rules: Pick<UserMethod, 'mayExceedQuota'>,
  call: Call
): (mayTakeLong?: boolean) => Steps<void> {
  call.store.audit.lastWritten.clear()
  const checkQuota = createQuotaCheck(rules, call)
  return function* (mayTakeLong) {
    // SQLite has copied large values, and copies them again at the commit.
    yield
    checkQuota()
    yield* enqueueMessages(call, mayTakeLong)
  }
}

/** Runs a method without interruption. Also throws what {@link assertKept} throws of copies that it has read. */
export function runUninterrupted(
  definition: UserMethod,
  call: Call,
  params: unknown,
  prepared?: unknown
): Result {
  const result = definition.isLong
    ? runSteps(definition.run(call, params, prepared))
    : definition.run(call, params, prepared)
  if (call.auditScope?.copies) assertKept(call.store, call.auditScope.copies)
  return result
}

/** Runs a method within a transaction, in steps if it has any. */
export function* runMethod(
  definition: UserMethod,
  call: Call,
  params: unknown,
  prepared?: unknown
): Steps<Result> {
  return definition.isLong
    ? yield* definition.run(call, params, prepared)
    : definition.run(call, params, prepared)
}

/** Returns true if an error means that a write has been rolled back and must be repeated alone. */
export function needsSeparateRun(error: unknown): boolean {
  return error instanceof NeedsSteps || error instanceof Unreserved
}

/** Returns true if a call must run in steps. Errors in its params are reported when it runs. */
export function isLong(definition: UserMethod, store: UserStore, params: unknown): boolean {
  return definition.isLong !== undefined && store.read(() => definition.isLong(store, params))
}
