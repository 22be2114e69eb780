/** The format of an exported account: JSON lines, one per row, table by table. (docs/operation.md#format) */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'

/** The tables that make up an account, each after those it refers to. */
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
  'access_version',
  'access_use',
  'access_calls',
  'access_consent',
  'session',
  'shared_secret',
  'email_address',
  'password',
  'sign_in_state',
  'account_field',
  'confirmed_value',
  'identity',
  'profile',
  'followed_slice',
  'webhook',
  'connection',
  'channel',
  'channel_message',
  'reminder',
  'reminder_occurrence',
  'form',
  'rule',
  'mirror',
  'mirror_kept',
  'received_item',
  'touched_points',
  'cmc_capability',
  'cmc_answer',
  'cmc_relationship',
  'cmc_outbox',
  'cmc_secret',
  'import',
  'import_event',
  'import_range',
  'import_memory',
  'audit_word',
  'audit_record',
  'audit_block',
  'audit_state'
] as const

export type ExportedTable = (typeof exportedTables)[number]

/**
 * Tables that are not exported. They are derived from others or short-lived: sums that triggers maintain, files to be removed,
 * one-time tokens and proofs, numbers, hourly counts, summaries created on demand, the text index with SQLite's tables for it,
 * and the pause after a restore, since an import begins its own. Passkeys are valid for one service and one account id only,
 * and an import creates another account. For the values of pending shared secrets see {@link exportedRows}.
 */
export const excludedTables = [
  'storage_used',
  'orphan',
  'sign_in_token',
  'oauth_grant',
  'passkey',
  'used_proof',
  'shared_secret_value',
  'mirror_event',
  'mirror_part',
  'mirror_read',
  'highest_number',
  'audit_strangers',
  'channel_use',
  'delivery_pause',
  'series_summary',
  'event_place',
  'event_text',
  'event_text_end',
  'event_vocabulary',
  'event_word',
  'event_word_config',
  'event_word_data',
  'event_word_idx'
] as const

/**
 * Conditions for the rows to export: pending shared secrets stay where they can be retrieved, and copies of other accounts' data are no
 * part of this account. (docs/api/mirrors.md#exports)
 */
export const exportedRows: Partial<Record<ExportedTable, string>> = {
  shared_secret: 'isPending = 0',
  stream: "substr(id, 1, 11) <> ':_followed:'",
  stream_deletion: "substr(id, 1, 11) <> ':_followed:'",
  event: 'id NOT IN (SELECT id FROM mirror_event)',
  event_stream: 'event NOT IN (SELECT number FROM event WHERE id IN (SELECT id FROM mirror_event))',
  event_deletion: `instr(paths, '":_followed:') = 0`
}

/**
 * Returns the row to export: a mirror begins again, since its copy is not exported, unless the copy was
 * erased.
 */
export function toExportedRow(table: ExportedTable, row: Row): Row {
  if (table !== 'mirror') return row
  const {
    lastComparison: _compared,
    lastContact: _contact,
    ...mirror
  } = JSON.parse(String(row['body'])) as Row
  if (mirror['state'] === 'erased') return row
  const body = { ...mirror, events: 0, skipped: 0, ...(mirror['state'] === 'live' && { state: 'starting' }) }
  return { ...row, body: JSON.stringify(body), next: 0, progress: '{"comparison":0,"failures":0}' }
}

/** The row of a table, by column. */
export type Row = Readonly<Record<string, unknown>>

/** A column as it is declared: `REAL`, `TEXT` and so on. */
export interface Column {
  readonly name: string
  readonly type: string
}

/** Lists the stored columns of a table in the file's own schema, without generated ones. */
export function listColumns(db: Database, table: ExportedTable): Column[] {
  const columns = statement(db, 'SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0')
  return columns.all(table) as Column[]
}

/**
 * Formats a row as JSON. A text that is itself a JSON object or array is embedded as such if it round-trips exactly;
 * blobs become hexadecimal digits, and infinity a word.
 */
export function toLine(row: Row): string {
  const members = Object.entries(row).map(([name, value]) => `${JSON.stringify(name)}:${formatValue(value)}`)
  return `{${members.join(',')}}`
}

/** Parses the value of a member of a line; the inverse of {@link toLine}. The type depends on the column. */
export function toValue({ type }: Pick<Column, 'type'>, value: unknown): unknown {
  if (type === 'REAL' && value === 'Infinity') return Infinity
  if (type === 'BLOB' && typeof value === 'object' && value !== null && 'hex' in value)
    return Buffer.from(String(value.hex), 'hex')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

function formatValue(value: unknown): string {
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
