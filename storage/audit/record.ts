/** An audit record as stored: its content, and the hash that chains it to the record before. */
import { hash } from 'node:crypto'
import { toStoredScope, parseScope, type StoredAuditScope, type AuditScope } from './scope.js'

/** One call. */
export interface AuditEntry {
  /** When the call was made, in seconds. */
  readonly time: number
  /** Id of the access used, or a word that stands for a missing or invalid access. */
  readonly access: string
  /** Id of the method. */
  readonly action: string
  /** The transport over which the call came. */
  readonly via: string
  readonly ip: string
  /** HTTP status. */
  readonly status: number
  readonly callerId?: string | undefined
  /** Parameters of the query string; serialized when the call is recorded. */
  readonly query?: object | undefined
  /** True if `query` was truncated. */
  readonly isQueryTruncated?: boolean | undefined
  /** The version of the item that the call wrote. (docs/spec/audit.md#record-content) */
  readonly key?: string | undefined
  readonly integrity?: string | undefined
  /** What a successful read covered. */
  readonly auditScope?: AuditScope | undefined
  readonly errorId?: string | undefined
  readonly message?: string | undefined
}

/** A record as a row. */
export interface AuditRow {
  /** Microseconds. */
  readonly at: number
  /** Number of a word, as in {@link action}. */
  readonly access: number
  readonly action: number
  readonly detail: string
  /** Hexadecimal. */
  readonly hash: string
}

/** A record as read back. */
export interface AuditRecord extends AuditEntry {
  readonly id: string
}

/** Serializes an entry for storage: a JSON array of its fields in a fixed order, without trailing empty ones. */
export function serializeDetail(entry: AuditEntry): string {
  const { via, ip, status, callerId, query, key, integrity, errorId, message, auditScope } = entry
  const isTruncated = entry.isQueryTruncated || undefined
  // A read has no key of a written item: its scope is stored in that place.
  const item = auditScope ? toStoredScope(auditScope) : key
  if (item === undefined && errorId === undefined && query === undefined && callerId === undefined)
    return JSON.stringify([via, ip, status])
  const fields = [via, ip, status, callerId, query, item, integrity, errorId, message, isTruncated]
  while (fields.at(-1) === undefined) fields.pop()
  return JSON.stringify(fields)
}

/** Parses the text that {@link serializeDetail} returns. */
export function parseDetail(detail: string): Omit<AuditEntry, 'time' | 'access' | 'action'> {
  const [via, ip, status, callerId, query, item, integrity, errorId, message, isQueryCut] = (
    JSON.parse(detail) as unknown[]
  ).map(field => field ?? undefined)
  const entry = {
    via,
    ip,
    status,
    callerId,
    query,
    integrity,
    errorId,
    message,
    isQueryTruncated: isQueryCut
  }
  const isScope = Array.isArray(item)
  const scope = isScope ? parseScope(item as unknown as StoredAuditScope) : undefined
  return { ...entry, key: isScope ? undefined : item, auditScope: scope } as AuditEntry
}

/** Formats the word by which records of an access are indexed. */
export function formatAccessWord(access: string): string {
  return `access-${access}`
}

/** Returns the word by which records of an action are found. */
export function formatActionWord(action: string): string {
  return `action-${action}`
}

/** Computes the hash of a record that follows one with the hash `previous`. Covers words as text, not as numbers. */
export function computeLinkHash(
  previous: string,
  at: number,
  access: string,
  action: string,
  detail: string
): string {
  return hash('sha256', `${previous} ${at} ${access} ${action} ${detail}`, 'hex')
}

/** Characters of the time and of the hash in a record's id. */
const timeLength = 12
const hashLength = 12

/**
 * Formats the id of a record, in the form of a cuid: its time and the beginning of its hash. The hash chain makes an id
 * that was noted elsewhere proof that the record, and all before it, are unchanged.
 */
export function formatRecordId(row: Pick<AuditRow, 'at' | 'hash'>): string {
  return `c${row.at.toString(36).padStart(timeLength, '0')}${row.hash.slice(0, hashLength)}`
}

/** Parses the time from a record's id, in microseconds; `undefined` if the text is not such an id. */
export function parseRecordTime(id: string): number | undefined {
  if (!/^c[0-9a-z]{24}$/.test(id)) return undefined
  const at = parseInt(id.slice(1, 1 + timeLength), 36)
  return Number.isSafeInteger(at) ? at : undefined
}
