/** The streams of the audit in `streams.get`: its root among the others, the streams below it on request. (docs/spec/audit.md#streams-of-the-audit) */
import type { Static } from 'typebox'
import type { StreamTree } from '../../schemas/stream.js'
import { fail } from '../errors.js'
import { JsonText, type TextListing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import { auditAccesses, auditActions, auditRoot, getAuditStreamId } from '../audit-ids.js'
import type { Reader } from '../call/reader.js'

type Tree = Static<typeof StreamTree>

/**
 * Adds what a caller may read of the audit to the other roots, as long as calls are recorded: the root of the audit for
 * personal accesses, before them; the stream of its own calls for an app, behind them, where it is in no client's way. `*` does
 * not cover the audit, and accesses granted another part of it know that from their permissions.
 * (docs/spec/audit.md#streams-of-the-audit)
 */
export function addAuditStream(
  call: Call,
  roots: JsonText | TextListing<Reader>
): JsonText | TextListing<Reader> {
  const stream = findAuditStream(call)
  if (!stream) return roots
  const added = JSON.stringify(stream)
  // What is added is ASCII: the excess stays what it is.
  if (roots instanceof JsonText)
    return new JsonText(insertStream(call, roots.text, added, true, true), roots.excess)
  return mapPages(roots, (text, isFirst, isLast) => insertStream(call, text, added, isFirst, isLast))
}

/** A piece of the text of the roots with the stream added, if that is its place. */
function insertStream(
  { caller }: Call,
  text: string,
  added: string,
  isFirst: boolean,
  isLast: boolean
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

/** The same listing with its pages changed. */
function mapPages(
  listing: TextListing<Reader>,
  change: (text: string, isFirst: boolean, isLast: boolean) => string
): TextListing<Reader> {
  let hasBegun = false
  return {
    isText: true,
    set present(present: TextListing<Reader>['present']) {
      listing.present = present
    },
    next(reader) {
      const page = listing.next(reader)
      const text = change(page.text, !hasBegun, page.done)
      hasBegun = true
      return { ...page, text }
    }
  }
}

/** The streams below one of the audit's. Errors: `forbidden` unless the caller is personal, `unknown-referenced-resource`. */
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
  return store.audit.words
    .list(prefix)
    .map(word => createAuditStream(call, auditRoot + word, word.slice(prefix.length), parentId))
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
