/** The streams of the audit in `streams.get`: its root among the others, the streams below it on request. (docs/spec/audit.md#streams-of-the-audit) */
import type { Static } from 'typebox'
import type { StreamTree } from '../../schemas/stream.js'
import { getBaseId } from '../access-ids.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { auditAccesses, auditActions, auditRoot, getAuditStreamId } from '../audit-ids.js'
import type { InsertedRoots } from '../streams/insert-roots.js'

type Tree = Static<typeof StreamTree>

/**
 * Returns what a caller may read of the audit among the roots, while calls are recorded: the root of the audit for
 * personal accesses, first; for an app the stream of its own calls, last, where it disturbs no client. `*` does not
 * cover the audit, and accesses that were granted another part of the audit know that from their permissions.
 * (docs/spec/audit.md#streams-of-the-audit)
 */
export function listAuditRoots(call: Call): InsertedRoots {
  const stream = findAuditStream(call)
  const found = stream ? [stream] : []
  return call.caller.isPersonal ? { first: found, last: [] } : { first: [], last: found }
}

/** Returns the root of what the caller may read of the audit; `undefined` if that is nothing, or if calls are not recorded. */
function findAuditStream(call: Call): Tree | undefined {
  const { caller, services } = call
  if (!services.config.audit.active) return undefined
  if (caller.isPersonal)
    return { ...createAuditStream(call, auditRoot, 'Audit store', null), childrenHidden: true }
  const { access } = caller
  return access?.type === 'app' && caller.mayAudit(access.id)
    ? createAuditStream(call, getAuditStreamId(access.id), access.id, null)
    : undefined
}

/**
 * Returns the streams below one of the audit's; none below the stream of an app's own calls, for that app.
 * Errors: `forbidden` for other callers that are not personal, `unknown-referenced-resource`.
 */
export function listAuditStreams(call: Call, parentId: string): Tree[] {
  const { caller, store } = call
  if (!caller.isPersonal) return parentId === findAuditStream(call)?.id ? [] : fail('forbidden')
  if (parentId === auditRoot)
    return [
      createAuditStream(call, auditAccesses, 'Accesses', parentId),
      createAuditStream(call, auditActions, 'Actions', parentId)
    ]
  const prefix = parentId === auditAccesses ? 'access-' : parentId === auditActions ? 'action-' : undefined
  if (prefix === undefined)
    fail('unknown-referenced-resource', `Unknown parent stream "${parentId}"`, { parentId })
  store.completeAudit()
  const names = store.audit.words.list(prefix).map(word => word.slice(prefix.length))
  // An access may have been used in later versions only: its stream holds the calls of all of them.
  const all = parentId === auditAccesses ? [...new Set(names.flatMap(id => [getBaseId(id), id]))] : names
  return all.map(name => createAuditStream(call, auditRoot + prefix + name, name, parentId))
}

/** Returns a virtual stream of the audit, as old as the account. */
function createAuditStream({ account }: Call, id: string, name: string, parentId: string | null): Tree {
  const { created } = account
  return {
    id,
    name,
    parentId,
    created,
    createdBy: 'system',
    modified: created,
    modifiedBy: 'system',
    children: []
  }
}
