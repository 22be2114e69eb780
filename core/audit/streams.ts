/** The streams of the audit in `streams.get`: its root among the others, the streams below it on request. (docs/spec/audit.md#streams-of-the-audit) */
import type { Static } from 'typebox'
import type { StreamTree } from '../../schemas/stream.js'
import { fail } from '../errors.js'
import { JsonText, type TextListing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import { auditAccesses, auditActions, auditRoot } from '../audit-ids.js'
import type { Reader } from '../call/reader.js'

type Tree = Static<typeof StreamTree>

/**
 * Puts the root of the audit before the others for callers that may read all of it: personal accesses, as long as calls are
 * recorded. `*` does not cover the audit, and accesses granted a part of it know that from their permissions. (docs/spec/audit.md#reading)
 */
export function withAuditRoot(
  call: Call,
  roots: JsonText | TextListing<Reader>
): JsonText | TextListing<Reader> {
  if (!call.caller.isPersonal || !call.services.config.audit.active) return roots
  const root = { ...streamOf(call, auditRoot, 'Audit store', null), childrenHidden: true }
  const withRoot = (text: string): string => {
    const others = text.slice(1)
    return `[${JSON.stringify(root)}${others === ']' ? '' : ','}${others}`
  }
  // What is put before them is ASCII: the excess stays what it is.
  return roots instanceof JsonText
    ? new JsonText(withRoot(roots.text), roots.excess)
    : beginningWith(roots, withRoot)
}

/** The same listing with its first page changed. */
function beginningWith(listing: TextListing<Reader>, change: (text: string) => string): TextListing<Reader> {
  let hasBegun = false
  return {
    isText: true,
    set present(present: TextListing<Reader>['present']) {
      listing.present = present
    },
    next(reader) {
      const page = listing.next(reader)
      const text = hasBegun ? page.text : change(page.text)
      hasBegun = true
      return { ...page, text }
    }
  }
}

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

function streamOf({ account }: Call, id: string, name: string, parentId: string | null): Tree {
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
