/** Takes out of an export what would let others in: it is for the person, who may show it around. */
import type { ExportedTable, Row } from './tables.js'

const secretTables = new Set<ExportedTable>(['password', 'session', 'sign_in_state'])

/** Whether a table holds nothing but secrets. */
export function isSecret(table: ExportedTable): boolean {
  return secretTables.has(table)
}

/** A row without what opens anything. */
export function withoutSecrets(table: ExportedTable, row: Row): Row {
  switch (table) {
    case 'access':
      // Its integrity value speaks for the token too.
      return { ...row, token: '', body: without(row['body'], 'token', 'integrity') }
    case 'webhook':
      return { ...row, secret: null }
    case 'followed_slice':
      return { ...row, body: without(row['body'], 'accessToken') }
    case 'profile':
      return row['name'] === 'private' ? { ...row, body: without(row['body'], 'mfa') } : row
    default:
      return row
  }
}

function without(body: unknown, ...names: readonly string[]): string {
  const entries = Object.entries(JSON.parse(String(body)) as object)
  return JSON.stringify(Object.fromEntries(entries.filter(([name]) => !names.includes(name))))
}
