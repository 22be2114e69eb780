/** Runs methods that write, with all that belongs into the same transaction. */
import type { Call, Result, UserMethod } from '../call/method.js'
import { withinQuota, withinQuotaInSteps } from './quota.js'
import type { Steps } from '../../storage/steps.js'
import { enqueue } from '../notifications/webhook-queue.js'
import type { UserStore } from '../../storage/user/user-store.js'

/** Runs a method within the transaction of its call: as far as the quota allows, and noted for webhooks. */
export function runWrite(definition: UserMethod, call: Call, params: unknown, prepared: unknown): Result {
  call.store.audit.lastWritten.clear()
  const result = withinQuota(definition, call, () => definition.run(call, params, prepared))
  enqueue(call)
  return result
}

/** As {@link runWrite}, in steps. */
export function* runInSteps(
  definition: UserMethod,
  call: Call,
  steps: NonNullable<UserMethod['steps']>,
  params: unknown
): Steps<Result> {
  call.store.audit.lastWritten.clear()
  const result = yield* withinQuotaInSteps(definition, call, steps.run(call, params))
  enqueue(call)
  return result
}

/** Whether a call is to be made in steps. What is wrong with it is found when it runs. */
export function isMuch({ steps }: UserMethod, store: UserStore, params: unknown): boolean {
  return steps !== undefined && store.read(() => steps.areMany(store, params))
}
