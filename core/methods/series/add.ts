/** `hfs.add`: adds points below a holder event. (docs/spec/series.md#writing-points) */
import { Type } from 'typebox'
import { Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { methodInSteps, type Call, type Result } from '../../call/method.js'
import { readPoints } from '../../series/flat-json.js'
import { requireWritableHolder } from '../../series/holder.js'
import { isLargeWrite } from '../../series/large-write.js'
import { planColumns } from '../../series/column-plan.js'
import { writePoints } from '../../series/write-points.js'
import type { Steps } from '../../../storage/steps.js'

/** Writes the points of a `flatJSON` value. The schema does not validate it: its rules have errors of their own. */
export const add = methodInSteps({
  id: 'hfs.add',
  summary: 'Add points to a series',
  params: Type.Object({ id: Identifier }),
  result: Type.Object({ status: Type.Literal('ok') }),
  mode: 'write',
  limitsDepth: true,
  allow: anyAccess,
  run: addInSteps,
  isLong: (store, params) => isLargeWrite(store, [{ eventId: params.id, data: params }])
})

function* addInSteps(call: Call, params: { readonly id: string }): Steps<Result> {
  const holder = requireWritableHolder(call, params.id)
  const { type, time } = holder
  const points = yield* readPoints(params, planColumns(call.services.eventTypes, type), time)
  yield* writePoints(call, holder, points)
  return { status: 'ok' }
}
