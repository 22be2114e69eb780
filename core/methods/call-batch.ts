/** `callBatch`: many calls at once. (docs/spec/batch.md) */
import { Type } from 'typebox'
import { anyAccess } from '../auth/allow.js'
import { fail } from '../errors.js'
import type { AccessRule, BatchMethod } from '../call/method.js'

const BatchCall = Type.Object({
  method: Type.String(),
  params: Type.Optional(Type.Unknown())
})

const BatchParams = Type.Array(BatchCall)

/**
 * Allows any access, but checks the number of calls, before the calls are validated one by one.
 * (docs/spec/batch.md#limits)
 */
const anyAccessWithinLimit: AccessRule = {
  ...anyAccess,
  check({ services, params }) {
    const { batchCalls } = services.config.limits
    if (Array.isArray(params) && params.length > batchCalls)
      fail(
        'invalid-request-structure',
        `A batch can have at most ${batchCalls} calls, but this one has ${params.length}`
      )
  }
}

/** Runs the calls in order; each has its result or error in its place. */
export const callBatch: BatchMethod<typeof BatchParams> = {
  id: 'callBatch',
  summary: 'Make several calls in order',
  params: BatchParams,
  result: Type.Object({ results: Type.Array(Type.Unknown()) }),
  mode: 'batch',
  allow: anyAccessWithinLimit,
  calls: params => params
}
