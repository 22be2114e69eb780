/** `callBatch`: many calls at once. (service.md, Endpoints; supplement 15) */
import { Type } from 'typebox'
import { anyAccess } from '../allow.js'
import type { BatchMethod } from '../method.js'

const BatchCall = Type.Object({
  method: Type.String(),
  params: Type.Optional(Type.Unknown())
})

const BatchParams = Type.Array(BatchCall)

/** Makes the calls one after the other; each answers in its place, whether it succeeds or not. */
export const callBatch: BatchMethod<typeof BatchParams> = {
  id: 'callBatch',
  params: BatchParams,
  result: Type.Object({ results: Type.Array(Type.Unknown()) }),
  mode: 'batch',
  allow: anyAccess,
  calls: params => params
}
