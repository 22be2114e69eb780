/** Choices for the lanes of a file: another measure, an existing stream, or none of it. (docs/api/imports.md#choosing-where-data-goes) */
import { Type } from 'typebox'
import type { Lane, LaneChoice } from '../../imports/protocol.js'
import { findMeasureByType } from '../../schemas/measures/catalogue.js'
import { findMeasureByName } from '../../schemas/measures/import-names.js'
import { closed, Identifier } from '../../schemas/scalars.js'
import type { Call } from '../call/method.js'
import { KnownMeasures } from '../measures/known-measures.js'
import { createMeasureScope } from '../measures/scope.js'
import { assertNotInTrash, requireStreams } from '../streams/require-streams.js'
import { isTrashed } from '../streams/tree.js'
import { isSystemId } from '../system-ids.js'
import { refuseParams } from '../validation/params.js'

/** Maximum number of lanes that a file reports. */
const maxLanes = 500

/** Exactly one of its members is given. */
export const LaneChoiceSchema = Type.Object(
  {
    measure: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
    streamId: Type.Optional(Identifier),
    isLeftOut: Type.Optional(Type.Literal(true))
  },
  closed
)

/** Choices by key of the lane; `null` removes one. */
export const LaneChoices = Type.Record(
  Type.String({ maxLength: 10_000 }),
  Type.Union([LaneChoiceSchema, Type.Null()]),
  { maxProperties: maxLanes }
)

/**
 * Requires that choices are for lanes of the review, and that the caller may import into chosen streams.
 * Errors: `invalid-parameters-format`, `unknown-referenced-resource`, `forbidden`, `invalid-operation` for streams in the trash.
 */
export function assertLaneChoices(
  call: Call,
  reviewed: readonly Lane[],
  choices: Readonly<Record<string, LaneChoice | null>>
): void {
  const lanes = new Map(reviewed.map(lane => [lane.key, lane]))
  const known = new KnownMeasures(call)
  for (const [key, choice] of Object.entries(choices)) {
    const lane = lanes.get(key) ?? refuseChoice(key, '', 'Not the key of a lane of the review')
    if (choice && Object.keys(choice).length !== 1) refuseChoice(key, '', 'Not exactly one choice')
    if (choice?.streamId !== undefined) assertMayImportInto(call, choice.streamId)
    const { measure } = choice ?? {}
    if (typeof measure === 'string' && known.find(measure)?.types.includes(lane.type) !== true)
      refuseChoice(key, '/measure', `No measure "${measure}" of the type "${lane.type}"`)
  }
}

/**
 * Returns the choices whose streams still exist, outside the trash, and may be managed by the caller, and
 * those that name no stream.
 */
export function listApplicable(
  { caller, store }: Pick<Call, 'caller' | 'store'>,
  choices: Readonly<Record<string, LaneChoice>>
): Record<string, LaneChoice> {
  const applicable = Object.entries(choices).filter(([, { streamId }]) => {
    const node = streamId === undefined ? undefined : store.streams.find(streamId)
    return streamId === undefined || (node && !isTrashed(node) && caller.may('manage', streamId))
  })
  return Object.fromEntries(applicable)
}

/**
 * Names chosen streams, and adds to each lane the measure to which its records will belong, if there is one.
 * Chosen measures count even if the records would belong to another one.
 */
export function describeTargets(
  call: Call,
  parentId: string | null,
  lanes: readonly Lane[]
): (Lane & { readonly measure?: string })[] {
  const { streams } = call.store
  const known = new KnownMeasures(call)
  const scope = createMeasureScope(call, known, undefined)
  return lanes.map(lane => {
    const measure = findLaneMeasure(lane)
    const path = lane.path.map(({ id, isChosen, name }) => ({
      id,
      name: isChosen ? (streams.find(id)?.stream.name ?? id) : name
    }))
    return { ...lane, path, ...(measure === undefined ? {} : { measure }) }
  })

  function findLaneMeasure({ choice, path, type }: Lane): string | undefined {
    if (choice?.measure !== undefined) return choice.measure ?? undefined
    for (const { id, measure, name } of path.toReversed()) {
      const node = streams.find(id)
      if (node) return scope.findMeasure([node.number], type)
      // Its name does not count.
      if (measure === null) continue
      if (measure !== undefined) return known.find(measure)?.types.includes(type) ? measure : undefined
      // The measure will be created with this mark.
      const named = findMeasureByName(name, type)
      if (named) return named.id
    }
    const parent = parentId === null ? undefined : streams.find(parentId)
    return parent ? scope.findMeasure([parent.number], type) : findMeasureByType(type)?.id
  }
}

function assertMayImportInto({ caller, store }: Call, streamId: string): void {
  if (isSystemId(streamId) || store.streams.isTagId(streamId))
    refuseParams([{ code: 'INVALID_VALUE', message: 'Not a stream of the user', path: '#/lanes' }])
  const nodes = requireStreams(store, [streamId])
  caller.must('manage', streamId)
  // The trash is checked after permissions, so that the state of a stream is not revealed.
  assertNotInTrash(nodes)
}

function refuseChoice(key: string, member: string, message: string): never {
  return refuseParams([{ code: 'INVALID_VALUE', message, path: `#/lanes/${key}${member}` }])
}
