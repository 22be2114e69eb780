/** The streams of the audit in `streams.get`: its root among the others, the streams below it on request. (docs/spec/audit.md#streams-of-the-audit) */
import type { Static } from 'typebox'
import type { StreamTree } from '../../schemas/stream.js'
import { getBaseId } from '../access-ids.js'
import { fail } from '../errors.js'
import { JsonText, type TextListing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import { auditAccesses, auditActions, auditRoot, getAuditStreamId } from '../audit-ids.js'
import type { Reader } from '../call/reader.js'

type Tree = Static<typeof StreamTree>

/**
 * Adds what a caller may read of the audit to the other roots, while calls are recorded: the root of the audit for
 * personal accesses, first; for an app the stream of its own calls, last, where it disturbs no client. `*` does not
 * cover the audit, and accesses that were granted another part of the audit know that from their permissions.
 * (docs/spec/audit.md#streams-of-the-audit)
 */
export function addAuditStream(
  call: Call,
  roots: JsonText | TextListing<Reader>
): JsonText | TextListing<Reader> {
  const stream = findAuditStream(call)
  if (!stream) return roots
  const added = JSON.stringify(stream)
  // The added text is ASCII: the excess does not change.
  if (roots instanceof JsonText)
    return new JsonText(insertStream(call, roots.text, added, { isFirst: true, isLast: true }), roots.excess)
  return mapPages(roots, (text, position) => insertStream(call, text, added, position))
}

/** Where a page is in a list. */
interface PagePosition {
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Inserts the audit's stream into a page of the text of the roots, if its place is on that page. */
function insertStream(
  { caller }: Call,
  text: string,
  added: string,
  { isFirst, isLast }: PagePosition
): string {
  if (caller.isPersonal) {
    if (!isFirst) return text
    const others = text.slice(1)
    return `[${added}${others === ']' ? '' : ','}${others}`
  }
  if (!isLast) return text
  const others = text.slice(0, -1)
  return `${others}${others === '[' ? '' : ','}${added}]`
}

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

/** Returns the listing with its pages changed. */
function mapPages(
  listing: TextListing<Reader>,
  change: (text: string, position: PagePosition) => string
): TextListing<Reader> {
  let hasBegun = false
  return {
    isText: true,
    set present(present: TextListing<Reader>['present']) {
      listing.present = present
    },
    next(reader) {
      const page = listing.next(reader)
      const text = change(page.text, { isFirst: !hasBegun, isLast: page.done })
      hasBegun = true
      return { ...page, text }
    }
  }
}

/**
 * Returns the streams below one of the audit's. Errors: `forbidden` unless the caller is personal,
 * `unknown-referenced-resource`.
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
