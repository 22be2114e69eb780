/** How an account's file is written as lines of JSON: a line for each row, table by table. (docs/operation.md#format) */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'

/** The tables that make up an account, each after those that it refers to. */
export const exportedTables = [
  'event_type',
  'stream',
  'stream_deletion',
  'event',
  'event_stream',
  'event_version',
  'event_deletion',
  'attachment',
  'series',
  'series_chunk',
  'access',
  'access_use',
  'access_calls',
  'access_consent',
  'session',
  'password',
  'sign_in_state',
  'account_field',
  'confirmed_value',
  'profile',
  'followed_slice',
  'webhook',
  'audit_word',
  'audit_record',
  'audit_block',
  'audit_state'
] as const

export type ExportedTable = (typeof exportedTables)[number]

/**
 * What follows from the rest, or is over soon: sums that triggers keep, files to be removed, tokens for one step, numbers
 * that something in memory may refer to, counts of an hour.
 */
export const leftOutTables = [
  'storage_used',
  'orphan',
  'sign_in_token',
  'highest_number',
  'audit_strangers'
] as const

/** The row of a table, by column. */
export type Row = Readonly<Record<string, unknown>>

/** The columns of a table that are written, as the file's own schema has them: not those that are worked out. */
export function columnsOf(db: Database, table: ExportedTable): string[] {
  const all = statement(db, 'SELECT name, hidden FROM pragma_table_xinfo(?)').all(table) as {
    name: string
    hidden: number
  }[]
  return all.filter(({ hidden }) => hidden === 0).map(({ name }) => name)
}

/**
 * A row as JSON. A text that is JSON itself, of an object or a list, stands in it as such, provided that it comes back to
 * the letter; bytes are hexadecimal digits, and numbers that JSON does not know words.
 */
export function toLine(row: Row): string {
  const members = Object.entries(row).map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`)
  return `{${members.join(',')}}`
}

/** The value of a column that a member of a line stands for. */
export function toValue(column: string, value: unknown): unknown {
  if (value === 'Infinity') return Infinity
  if (column === 'hash' && typeof value === 'object' && value !== null && 'hex' in value)
    return Buffer.from(String(value.hex), 'hex')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `{"hex":"${value.toString('hex')}"}`
  if (value === Infinity) return '"Infinity"'
  if (typeof value === 'string' && isExact(value)) return value
  return JSON.stringify(value)
}

function isExact(text: string): boolean {
  if (!text.startsWith('{') && !text.startsWith('[')) return false
  try {
    return JSON.stringify(JSON.parse(text)) === text
  } catch {
    return false
  }
}
