/**
 * `hfs.addBatch`: adds points to several series: all of them or, after an error, none.
 * (docs/spec/series.md#writing-points)
 */
import { Type } from 'typebox'
import type { Holder, Points } from '../../../storage/repositories/series.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { anyAccess } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { methodInSteps, type Call, type Result } from '../../call/method.js'
import { readPoints } from '../../series/flat-json.js'
import { requireWritableHolder } from '../../series/holder.js'
import { isLargeWrite, type SentPoints } from '../../series/large-write.js'
import { planColumns } from '../../series/column-plan.js'
import { writePoints } from '../../series/write-points.js'
import { isObject } from '../../validation/is-object.js'
import type { Steps } from '../../../storage/steps.js'

/**
 * Checks every entry of a `seriesBatch` value, then writes them in order. Throws `invalid-request-structure`
 * for a wrong form.
 */
export const addBatch = methodInSteps({
  id: 'hfs.addBatch',
  summary: 'Add points to several series',
  params: Type.Unknown(),
  result: Type.Object({ status: Type.Literal('ok') }),
  mode: 'write',
  limitsDepth: true,
  allow: anyAccess,
  run: addInSteps,
  isLong
})

/** Maximum series that are written without yielding. */
const maxSeriesAtOnce = 100

function isLong(store: UserStore, params: unknown): boolean {
  if (!isObject(params) || !Array.isArray(params['data'])) return false
  const data = params['data'] as unknown[]
  return (
    data.length > maxSeriesAtOnce || isLargeWrite(store, data.filter(isObject) as unknown as SentPoints[])
  )
}

/** Writes all points after all of them have been checked. Errors name the entry. */
function* addInSteps(call: Call, params: unknown): Steps<Result> {
  const writes: { holder: Holder; points: Points; context: object }[] = []
  for (const [entry, { eventId, data }] of parseEntries(params).entries()) {
    const holder = requireWritableHolder(call, eventId)
    const { type, time } = holder
    const context = { entry, eventId }
    const points = yield* readPoints(data, planColumns(call.services.eventTypes, type), time, { context })
    writes.push({ holder, points, context })
    yield
  }
  for (const { context, holder, points } of writes) {
    yield* writePoints(call, holder, points, context)
    yield
  }
  return { status: 'ok' }
}

interface Entry {
  readonly eventId: string
  readonly data: unknown
}

/** Returns the entries of a batch. Error: `invalid-request-structure` for what is not in that form. */
function parseEntries(params: unknown): readonly Entry[] {
  if (!isObject(params)) return refuse('The batch must be a JSON object', { rule: 'object' })
  const { format, data } = params
  if (format !== 'seriesBatch') refuse('The "format" must be "seriesBatch"', { rule: 'format' })
  if (!Array.isArray(data)) return refuse('"data" must be an array', { rule: 'data' })
  return data.map((value: unknown, entry) => {
    if (!isObject(value)) return refuse(`Entry ${entry} is not an object`, { entry, rule: 'entry' })
    const { eventId } = value
    if (typeof eventId !== 'string' || eventId === '')
      return refuse(`Entry ${entry} has no "eventId"`, { entry, rule: 'eventId' })
    return { eventId, data: value['data'] }
  })
}

function refuse(message: string, data: object): never {
  return fail('invalid-request-structure', message, data)
}
