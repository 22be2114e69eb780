/** Ids of the audit's streams and events: `:_audit:` and what it holds. (docs/spec/audit.md#reading) */

/** The store of the audit, and its root. */
export const auditRoot = ':_audit:'
export const auditAccesses = ':_audit:accesses'
export const auditActions = ':_audit:actions'

const accessPrefix = ':_audit:access-'
const actionPrefix = ':_audit:action-'

/** Whether an id belongs to the audit. */
export function isAuditId(id: string): boolean {
  return id.startsWith(auditRoot)
}

/** The access whose calls a stream of the audit holds; `undefined` if it is another stream. */
export function getAuditedAccess(id: string): string | undefined {
  return id.startsWith(accessPrefix) && id.length > accessPrefix.length
    ? id.slice(accessPrefix.length)
    : undefined
}

/** Whether a stream of the audit holds the calls of a method. */
export function isAuditedAction(id: string): boolean {
  return id.startsWith(actionPrefix) && id.length > actionPrefix.length
}

/** The stream of an access's calls. */
export function getAuditStreamId(accessId: string): string {
  return accessPrefix + accessId
}
