/** Lets the work on an import begin, with what the person has chosen. */
import { Type, type Static } from 'typebox'
import { Identifier, orNull } from '../../schemas/scalars.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { keepJob, Mapping, type ImportState, type KeptJob } from './job.js'
import { ImportMemory } from './memory.js'
import { assertMappedTypes, assertTimeZone, assertMayImport, ownJob } from './params.js'

/** What can be chosen. What is not given stays as it was. */
export const choices = {
  parentId: orNull(Identifier),
  zone: orNull(Type.String()),
  /** How tables are to be understood, by their headers. They are remembered. */
  mappings: orNull(Type.Record(Type.String({ maxLength: 10_000 }), Mapping, { maxProperties: 50 }))
}
const Chosen = Type.Object({ id: Identifier, ...choices })

/** States in which work may begin. */
const ready = new Set<ImportState>(['looked', 'cancelled', 'failed'])

/** The job in its new state. Throws `invalid-operation` where that is not possible. */
export function begun(
  call: Call,
  { id, mappings, parentId, zone }: Static<typeof Chosen>,
  state: 'looking' | 'writing'
): KeptJob {
  const { account, caller, services, store } = call
  const before = ownJob(call, id)
  if (!ready.has(before.state))
    fail('invalid-operation', `The import is ${before.state} and cannot be started`, { state: before.state })
  if (!services.imports.hasFile(account, id))
    fail('invalid-operation', 'The file is not here any more: bring it in again')
  const isEmpty = before.look !== undefined && before.look.tables.length > 0 && before.look.lanes.length === 0
  if (state === 'writing' && isEmpty && !mappings)
    fail('invalid-operation', 'No records would be imported. Choose what the columns contain first')
  const below = parentId === undefined || before.attempt > 0 ? before.parentId : parentId
  assertMayImport(call, below)
  assertTimeZone(zone ?? undefined)
  assertMappedTypes(call, mappings ?? undefined)
  new ImportMemory(store, before).rememberMappings(mappings ?? {})
  const { errorId: _errorId, message: _message, notice: _notice, ...rest } = before
  const job: KeptJob = {
    ...rest,
    state,
    parentId: below,
    accessId: caller.accessId,
    callerId: caller.callerId,
    options: { ...before.options, ...(zone && { zone }) }
  }
  keepJob(store, job)
  services.imports.begin(account, id)
  return job
}
