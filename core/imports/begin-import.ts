/** Starts an import with the choices of the user. */
import { Type, type Static } from 'typebox'
import { Identifier, orNull } from '../../schemas/scalars.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { assertLaneChoices, LaneChoices } from './lane-choices.js'
import { saveJob, Mapping, type ImportState, type StoredJob } from './job.js'
import { ImportMemory } from './memory.js'
import { assertZone } from '../validation/zones.js'
import { assertMappedTypes, assertMayImport, getOwnJob } from './params.js'

/** The params with the user's choices. Absent ones leave the import unchanged. */
export const importChoices = {
  parentId: orNull(Identifier),
  zone: orNull(Type.String()),
  /** How to interpret tables, by their headers. Stored for later imports. */
  mappings: orNull(Type.Record(Type.String({ maxLength: 10_000 }), Mapping, { maxProperties: 50 })),
  /** What to do with lanes, by their keys. Stored for later imports. */
  lanes: orNull(LaneChoices)
}
const Choices = Type.Object({ id: Identifier, ...importChoices })

/** States in which an import can be started. */
const startableStates = new Set<ImportState>(['looked', 'cancelled', 'failed'])

/**
 * Starts the import of a file: stores the choices, also for later imports, queues the job, and returns it. The
 * parent stream stays once writing has begun. Throws `invalid-operation` if the import cannot be started now,
 * its file is gone, or nothing in it can be imported; `unknown-resource` for an unknown import, and the errors
 * of {@link assertMayImport}, {@link assertZone}, {@link assertMappedTypes} and {@link assertLaneChoices}.
 */
export function beginImport(
  call: Call,
  { id, lanes, mappings, parentId, zone }: Static<typeof Choices>,
  state: 'looking' | 'writing'
): StoredJob {
  const { account, caller, services, store } = call
  const previous = getOwnJob(call, id)
  if (!startableStates.has(previous.state))
    fail('invalid-operation', `The import is ${previous.state} and cannot be started`, {
      state: previous.state
    })
  if (!services.imports.hasFile(account, id))
    fail('invalid-operation', 'The file is no longer available. Upload it again')
  const isEmpty =
    previous.look !== undefined && previous.look.tables.length > 0 && previous.look.lanes.length === 0
  if (state === 'writing' && isEmpty && !mappings)
    fail('invalid-operation', 'No records would be imported. Choose what the columns contain first')
  const newParentId = parentId === undefined || previous.attempt > 0 ? previous.parentId : parentId
  assertMayImport(call, newParentId)
  assertZone(zone ?? undefined, '#/zone')
  assertMappedTypes(call, mappings ?? undefined)
  assertLaneChoices(call, previous.look?.lanes ?? [], lanes ?? {})
  const memory = new ImportMemory(store, previous)
  memory.storeMappings(mappings ?? {})
  memory.storeChoices(lanes ?? {})
  const { errorId: _errorId, message: _message, notice: _notice, ...rest } = previous
  const job: StoredJob = {
    ...rest,
    state,
    parentId: newParentId,
    accessId: caller.accessId,
    callerId: caller.callerId,
    options: { ...previous.options, ...(zone && { zone }) }
  }
  saveJob(store, job)
  services.imports.begin(account, id)
  return job
}
