/** A record of the audit, as it is kept: what it holds, and the hash that binds it to the one before. */
import { hash } from 'node:crypto'

/** One call. */
export interface AuditEntry {
  /** Seconds: when it was made. */
  readonly time: number
  /** Id of the access used, or a word for what stood in its place. */
  readonly access: string
  /** Id of the method. */
  readonly action: string
  /** How it came. */
  readonly via: string
  readonly ip: string
  /** As an HTTP status. */
  readonly status: number
  readonly callerId?: string | undefined
  /** Parameters of the query string; becomes JSON when the record is written. */
  readonly query?: object | undefined
  /** Whether there was more of them than is kept. */
  readonly isQueryCut?: boolean | undefined
  /** The version of an item that it wrote. (docs/spec/audit.md#record-content) */
  readonly key?: string | undefined
  readonly integrity?: string | undefined
  readonly errorId?: string | undefined
  readonly message?: string | undefined
}

/** A record as it lies in the file. */
export interface AuditRow {
  /** Microseconds. */
  readonly at: number
  /** Numbers of words. */
  readonly access: number
  readonly action: number
  readonly detail: string
  /** In hexadecimal digits. */
  readonly hash: string
}

/** A record as it is read. */
export interface AuditRecord extends AuditEntry {
  readonly id: string
}

/** The text kept of an entry: its fields in a fixed order, without the empty ones at the end. */
export function detailOf(entry: AuditEntry): string {
  const { via, ip, status, callerId, query, key, integrity, errorId, message } = entry
  const isCut = entry.isQueryCut || undefined
  if (key === undefined && errorId === undefined && query === undefined && callerId === undefined)
    return JSON.stringify([via, ip, status])
  const fields = [via, ip, status, callerId, query, key, integrity, errorId, message, isCut]
  while (fields.at(-1) === undefined) fields.pop()
  return JSON.stringify(fields)
}

/** What a kept text tells. */
export function readDetail(detail: string): Omit<AuditEntry, 'time' | 'access' | 'action'> {
  const [via, ip, status, callerId, query, key, integrity, errorId, message, isQueryCut] = (
    JSON.parse(detail) as unknown[]
  ).map(field => field ?? undefined)
  return { via, ip, status, callerId, query, key, integrity, errorId, message, isQueryCut } as AuditEntry
}

/** The words by which a record is found. */
export function accessWord(access: string): string {
  return `access-${access}`
}

export function actionWord(action: string): string {
  return `action-${action}`
}

/** The hash of a record that follows one with the hash `previous`; words stand for themselves, not as numbers. */
export function linkHash(
  previous: string,
  at: number,
  access: string,
  action: string,
  detail: string
): string {
  return hash('sha256', `${previous} ${at} ${access} ${action} ${detail}`, 'hex')
}

/** Characters of time, and of the hash, in a record's id. */
const timeLength = 12
const hashLength = 12

/**
 * The id of a record, in the form of a cuid: its time and the beginning of its hash. Whoever keeps an id can thus tell
 * that the record, and all before it, are still what they were.
 */
export function recordId(row: Pick<AuditRow, 'at' | 'hash'>): string {
  return `c${row.at.toString(36).padStart(timeLength, '0')}${row.hash.slice(0, hashLength)}`
}

/** The time in a record's id; `undefined` if it cannot be one. */
export function timeOfRecordId(id: string): number | undefined {
  if (!/^c[0-9a-z]{24}$/.test(id)) return undefined
  const at = parseInt(id.slice(1, 1 + timeLength), 36)
  return Number.isSafeInteger(at) ? at : undefined
}
