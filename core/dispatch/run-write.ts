/** Runs methods that write, with everything that belongs to the same transaction. */
import type { Call, Result, UserMethod } from '../call/method.js'
import { quotaCheck } from './quota.js'
import { Unreserved } from '../../storage/errors.js'
import type { Steps } from '../../storage/steps.js'
import { enqueueMessages, enqueueMessagesInSteps, TooManyToEvaluate } from '../notifications/webhook-queue.js'
import type { UserStore } from '../../storage/user/user-store.js'

/**
 * Runs a method within its transaction: checks the quota and queues messages for webhooks. Throws `MuchToJudge` if
 * the latter has to be done in steps.
 */
export function runWrite(definition: UserMethod, call: Call, params: unknown, prepared: unknown): Result {
  const checkQuota = prepareWrite(definition, call)
  const result = definition.run(call, params, prepared)
  checkQuota()
  enqueueMessages(call)
  return result
}

/** Like {@link runWrite}, for a part of a transaction. Throws `Unreserved` for what needs unique values that are not reserved. */
export function runReserved(definition: UserMethod, call: Call, params: unknown): Result {
  const result = runWrite(definition, call, params, undefined)
  call.store.unique.assertReserved()
  return result
}

/** Whether an error says that a write, which is undone, has to be made in another way. */
export function isToBeMadeAgain(error: unknown): boolean {
  return error instanceof TooManyToEvaluate || error instanceof Unreserved
}

/** Like {@link runWrite}, in steps where the method has any. */
export function* runInSteps(
  definition: UserMethod,
  call: Call,
  params: unknown,
  prepared: unknown
): Steps<Result> {
  const checkQuota = prepareWrite(definition, call)
  const result = isMuch(definition, call.store, params)
    ? yield* definition.steps!.run(call, params)
    : definition.run(call, params, prepared)
  checkQuota()
  yield* enqueueMessagesInSteps(call)
  return result
}

/** Prepares a write; returns the check of the quota to call after it. */
function prepareWrite(definition: UserMethod, call: Call): () => void {
  call.store.audit.lastWritten.clear()
  return quotaCheck(definition, call)
}

/** Whether a call is to be made in steps. Errors in its params are reported when it runs. */
export function isMuch({ steps }: UserMethod, store: UserStore, params: unknown): boolean {
  return steps !== undefined && store.read(() => steps.areMany(store, params))
}
