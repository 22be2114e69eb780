/** `hfs.add`: points written below a holder event. (docs/spec/series.md#writing-points) */
import { Type } from 'typebox'
import { Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { methodInSteps, type Call, type Result } from '../../call/method.js'
import { readPoints } from '../../series/flat-json.js'
import { writableHolder } from '../../series/holder.js'
import { areMuch } from '../../series/much.js'
import { planOf } from '../../series/plan.js'
import type { Steps } from '../../../storage/steps.js'

/** Writes the points of a `flatJSON` value. The schema does not validate it: its rules have errors of their own. */
export const add = methodInSteps({
  id: 'hfs.add',
  summary: 'Add points to a series',
  params: Type.Object({ id: Identifier }),
  result: Type.Object({ status: Type.Literal('ok') }),
  mode: 'write',
  boundsDepth: true,
  allow: anyAccess,
  run: addition,
  isLong: (store, params) => areMuch(store, [{ eventId: params.id, data: params }])
})

function* addition(call: Call, params: { readonly id: string }): Steps<Result> {
  const { caller, services, now, store } = call
  const { number, type, time } = writableHolder(call, params.id)
  const points = yield* readPoints(params, planOf(services.eventTypes, type), time)
  yield* store.series.add(number, points, { writer: caller.signature, written: now })
  return { status: 'ok' }
}
