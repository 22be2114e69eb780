/** The streams of the audit in `streams.get`: told on request, since the tree itself is sorted by name. (supplement 12) */
import type { StreamTree } from '../../schemas/stream.js'
import { fail } from '../errors.js'
import type { Call } from '../method.js'
import type { Static } from 'typebox'
import { auditAccesses, auditActions, auditRoot } from './ids.js'

type Tree = Static<typeof StreamTree>

/** The streams below one of the audit's. Errors: `forbidden` unless the caller is personal, `unknown-referenced-resource`. */
export function auditStreamsBelow(call: Call, parentId: string): Tree[] {
  const { caller, store } = call
  if (!caller.isPersonal) fail('forbidden')
  if (parentId === auditRoot)
    return [
      streamOf(call, auditAccesses, 'Accesses', parentId),
      streamOf(call, auditActions, 'Actions', parentId)
    ]
  const prefix = parentId === auditAccesses ? 'access-' : parentId === auditActions ? 'action-' : undefined
  if (prefix === undefined)
    fail('unknown-referenced-resource', `Unknown parent stream "${parentId}"`, { parentId })
  store.completeAudit()
  return store.audit.words
    .list(prefix)
    .map(word => streamOf(call, auditRoot + word, word.slice(prefix.length), parentId))
}

function streamOf({ account }: Call, id: string, name: string, parentId: string): Tree {
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
