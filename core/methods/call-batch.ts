/** `callBatch`: many calls at once. (docs/spec/batch.md) */
import { Type } from 'typebox'
import { anyAccess } from '../auth/allow.js'
import { fail } from '../errors.js'
import type { Allow, BatchMethod } from '../call/method.js'

const BatchCall = Type.Object({
  method: Type.String(),
  params: Type.Optional(Type.Unknown())
})

const BatchParams = Type.Array(BatchCall)

/** Counts before anything looks at each of the calls. (docs/spec/batch.md#limits) */
const anyAccessWithinLimit: Allow = {
  ...anyAccess,
  check({ core, params }) {
    const { batchCalls } = core.config.limits
    if (Array.isArray(params) && params.length > batchCalls)
      fail('invalid-request-structure', `A batch may hold ${batchCalls} calls, this one has ${params.length}`)
  }
}

/** Makes the calls one after the other; each answers in its place, whether it succeeds or not. */
export const callBatch: BatchMethod<typeof BatchParams> = {
  id: 'callBatch',
  summary: 'Make many calls in order',
  params: BatchParams,
  result: Type.Object({ results: Type.Array(Type.Unknown()) }),
  mode: 'batch',
  allow: anyAccessWithinLimit,
  calls: params => params
}
