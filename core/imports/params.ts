/** Checks the params of import methods. */
import type { Mapping } from '../../imports/record.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { getJob, type StoredJob } from './job.js'
import { getAppIdentity } from './memory.js'
import { isSystemId } from '../system-ids.js'
import { refuseParams } from '../validation/params.js'

/**
 * Requires that the caller may import data below a stream, or at the root of the tree if `parentId` is null.
 * Errors: `forbidden`, `unknown-referenced-resource`, `invalid-operation` for a stream in the trash.
 */
export function assertMayImport({ caller, store }: Call, parentId: string | null): void {
  caller.must('manage', parentId ?? '*')
  if (parentId === null) return
  const node = store.streams.find(parentId)
  if (!node || isSystemId(parentId) || store.streams.isTagId(parentId))
    fail('unknown-referenced-resource', `Unknown parent stream "${parentId}"`, { parentId })
  if (node.stream.trashed) fail('invalid-operation', `The stream "${parentId}" is in the trash`, { parentId })
}

/** Requires that mappings use known event types. Error: `invalid-parameters-format`. */
export function assertMappedTypes(
  { services }: Call,
  mappings: Readonly<Record<string, Mapping>> = {}
): void {
  for (const [header, { values }] of Object.entries(mappings))
    for (const [at, { type }] of values.entries())
      if (!services.eventTypes.isKnown(type))
        refuseParams([
          {
            code: 'INVALID_VALUE',
            message: `Unknown event type "${type}". Use one of the event type directory`,
            path: `#/mappings/${header}/values/${at}/type`
          }
        ])
}

/**
 * Returns true if the caller may see and change a job: for the user, all jobs; for an app, its own. The caller
 * must also be able to manage the stream below which the job imports.
 */
export function mayAccessJob(
  { caller, store }: Pick<Call, 'caller' | 'store'>,
  { app, parentId }: StoredJob
): boolean {
  if (!caller.isPersonal && app !== getAppIdentity(caller)) return false
  // If the stream has been deleted, only callers that may manage everything can see the import.
  return caller.may('manage', parentId !== null && store.streams.find(parentId) ? parentId : '*')
}

/** Returns the job with this id. Error: `unknown-resource`, also for jobs of others. */
export function getOwnJob(call: Pick<Call, 'caller' | 'store'>, id: string): StoredJob {
  const job = getJob(call.store, id)
  return mayAccessJob(call, job) ? job : fail('unknown-resource', `No import "${id}"`)
}
