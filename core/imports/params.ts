/** Checks of what callers say of an import. */
import type { Mapping } from '../../imports/record.js'
import { isZone } from '../../schemas/zones.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { foundJob, type KeptJob } from './job.js'
import { appOf } from './memory.js'
import { isSystemId } from '../system-ids.js'
import { refuseParams } from '../validation/params.js'

/** Throws unless the caller may have data brought in below a stream, or at the top of the tree. */
export function assertMayImport({ caller, store }: Call, parentId: string | null): void {
  caller.must('manage', parentId ?? '*')
  if (parentId === null) return
  const node = store.streams.find(parentId)
  if (!node || isSystemId(parentId) || store.streams.isTagId(parentId))
    fail('unknown-referenced-resource', `Unknown parent stream "${parentId}"`, { parentId })
  if (node.stream.trashed) fail('invalid-operation', `The stream "${parentId}" is in the trash`, { parentId })
}

/** Throws `invalid-parameters-format` for unknown time zones. */
export function assertTimeZone(zone: string | undefined): void {
  if (zone !== undefined && !isZone(zone))
    refuseParams([
      { code: 'INVALID_FORMAT', message: 'must be a time zone such as Europe/Zurich', path: '#/zone' }
    ])
}

/** Throws `invalid-parameters-format` for mappings to types that are not known. */
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

/** Whether a job is one that the caller could have begun: to the owner all are, to an app those that it has. */
export function isMine(
  { caller, store }: Pick<Call, 'caller' | 'store'>,
  { app, parentId }: KeptJob
): boolean {
  if (!caller.isPersonal && app !== appOf(caller)) return false
  // If its stream has been deleted, only those who manage everything may.
  return caller.may('manage', parentId !== null && store.streams.find(parentId) ? parentId : '*')
}

/** Throws `unknown-resource`, also for jobs of others. */
export function ownJob(call: Pick<Call, 'caller' | 'store'>, id: string): KeptJob {
  const job = foundJob(call.store, id)
  return isMine(call, job) ? job : fail('unknown-resource', `No import "${id}"`)
}
