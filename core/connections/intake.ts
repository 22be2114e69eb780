/** Stores the records of a request of a connection, in one transaction. (docs/api/connections.md#what-is-stored) */
import type { ImportedRecord } from '../../imports/record.js'
import { isNumericContent } from '../../imports/pipeline/lane-key.js'
import type { Attachment } from '../../schemas/event.js'
import { connectionKey, type Connection } from '../../schemas/connection.js'
import type { LaneForm } from '../../imports/protocol.js'
import type { Steps } from '../../storage/steps.js'
import type { DialectInfo } from '../call/dialects.js'
import type { Call } from '../call/method.js'
import { ApiError, fail } from '../errors.js'
import { ImportMemory } from '../imports/memory.js'
import { Caller } from '../permissions/caller.js'
import { chooseForm } from './choose-form.js'
import { ensureStreams } from './ensure-streams.js'
import { EventIntake } from './event-intake.js'
import { PointIntake } from './point-intake.js'
import { removeEvents } from './adjust-events.js'
import type { IntakeContext, IntakeMethods, ReceivedLane, ReceivedRecord, Removal } from './intake-context.js'
import { getReceivedLaneKey, getRecordIds, getStreamPath } from './record-ids.js'

/** Maximum number of lanes in one request, as each new lane creates streams. */
const maxLanes = 2000
/** Number of records of a step. */
const stepRecords = 50

/** What a request contains. */
export interface ReceivedItems {
  readonly records: readonly ReceivedRecord[]
  /** What to move to the trash before the records are stored. */
  readonly removals?: readonly Removal[] | undefined
}

/**
 * Moves what is to be removed to the trash, then stores records. Returns the numbers of those that cannot be
 * stored, by kind. `files`: the received files, by their key. What is stored already is left alone. Errors:
 * `invalid-operation` for too many lanes, `user-intervention-required` if there would be too many streams.
 */
export function* storeRecords(
  given: Call,
  methods: IntakeMethods,
  connection: Connection,
  format: DialectInfo['format'],
  { records, removals = [] }: ReceivedItems,
  files: ReadonlyMap<string, Attachment>
): Steps<ReadonlyMap<string, number>> {
  const refused = new Map<string, number>()
  const call = toServiceCall(given)
  const ids = getRecordIds(call.store, connection.parentId)
  const context: IntakeContext = {
    call,
    methods,
    format,
    ids,
    provideStream: record =>
      provideStream(call, methods, connection, getStreamPath(ids, format, record), record),
    refuse: (kind, count = 1) => refused.set(kind, (refused.get(kind) ?? 0) + count)
  }
  const events = new EventIntake(context, files)
  const points = new PointIntake(context)
  const memory = new ImportMemory(call.store, { app: undefined })
  for (const removal of removals) yield* removeEvents(call, connection, removal)
  const newForms: { readonly key: string; readonly form: LaneForm }[] = []
  let count = 0
  for (const lane of yield* groupByLane(format.id, records)) {
    const form = chooseForm(lane, context, memory, newForms)
    for (const record of lane.records) {
      if (form === 'series' && isNumericContent(record.content)) points.add(lane, record)
      else yield* events.store(record)
      if (++count % stepRecords === 0) yield
    }
  }
  if (newForms.length > 0) memory.storeForms(newForms)
  yield* points.store()
  return refused
}

/** Returns a call of the same access with all permissions on the user's streams. Its changes are those of the given call. */
function toServiceCall(call: Call): Call {
  const { access, callerId } = call.caller
  return { ...call, caller: new Caller(call.store, { ...access!, type: 'personal' }, callerId) }
}

/**
 * Groups records by kind and source, in the order of their first record. Error: `invalid-operation` if there are too
 * many groups.
 */
function* groupByLane(format: string, records: readonly ReceivedRecord[]): Steps<Iterable<ReceivedLane>> {
  const lanes = new Map<string, ReceivedLane & { readonly records: ReceivedRecord[] }>()
  for (const [index, record] of records.entries()) {
    if (index % stepRecords === stepRecords - 1) yield
    const key = getReceivedLaneKey(format, record)
    const lane = lanes.get(key)
    if (lane) lane.records.push(record)
    else if (lanes.size >= maxLanes)
      fail(
        'invalid-operation',
        `The request has data of more than ${maxLanes} kinds and sources. Send it in parts`
      )
    else lanes.set(key, { key, records: [record] })
  }
  return lanes.values()
}

/**
 * Makes sure that the streams of a record exist; returns the id of its own stream. Error: `user-intervention-required` if there would
 * be too many streams, or too deep ones: then nothing of the request is stored.
 */
function* provideStream(
  call: Call,
  { createStream }: IntakeMethods,
  { accessId, parentId, streamId }: Connection,
  path: readonly { readonly id: string; readonly name: string }[],
  { type }: ImportedRecord
): Steps<string> {
  try {
    const created = yield* ensureStreams(call, createStream, { path, type, parentId })
    if (created.includes(streamId)) grantAgain(call, accessId, streamId)
  } catch (error) {
    if (error instanceof ApiError && error.id === 'invalid-operation')
      fail('user-intervention-required', error.message)
    throw error
  }
  return path.at(-1)!.id
}

/** Grants the permission of a connection again: it ended when the user deleted its stream. */
function grantAgain({ caller, changes, now, store }: Call, accessId: string, streamId: string): void {
  const access = store.accesses.find(accessId)
  if (access?.clientData?.[connectionKey] === undefined) return
  const ended = access.endedPermissions?.findLast(each => each.streamId === streamId)
  const permissions = [{ streamId, level: ended?.level ?? 'create-only' }]
  store.accesses.update({
    ...access,
    permissions,
    modified: store.stamp(now),
    modifiedBy: caller.versionedSignature
  })
  changes.addAccess(access, [streamId])
}
