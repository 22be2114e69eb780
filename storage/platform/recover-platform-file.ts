/** Recovers what is readable in a damaged platform file. */
import SQLite, { type Database } from 'better-sqlite3'
import { StoreTooNew } from '../errors.js'
import { readSchemaVersion } from '../migrations/migrate.js'
import { platformMigrations } from '../migrations/platform/index.js'
import { maxRows, openInMemory } from '../sqlite/open.js'
import type { StoredClientState } from '../oauth/oauth-clients.js'
import type { StoredInvitation } from './invitations.js'
import type { Account } from './account.js'
import type { Farewell } from './farewells.js'
import type { GrowthDay } from './growth.js'
import type { AdminAction } from './admin-actions.js'

export interface RecoveredPlatform {
  readonly accounts: readonly Account[]
  readonly invitations: readonly StoredInvitation[]
  /** Random secrets of the platform, by name. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[]
  /** What peers of removed accounts are still to be told. */
  readonly farewells: readonly Farewell[]
  readonly growth: readonly GrowthDay[]
  /** What operators have decided about OAuth clients, as JSON: a revoked client must stay revoked. */
  readonly oauthClientStates: readonly StoredClientState[]
  /** Actions of operators, oldest first; their details as JSON. */
  readonly adminActions: readonly (Omit<AdminAction, 'detail'> & { readonly detail: string })[]
}

/**
 * Returns what is readable; empty if the file cannot be opened. Throws `StoreTooNew`. Accounts that were
 * being created or removed are omitted.
 */
export function recoverPlatformFile(file: string): RecoveredPlatform {
  const schema = openInMemory(platformMigrations)
  let db: Database | undefined
  try {
    db = new SQLite(file, { readonly: true, fileMustExist: true })
    const version = readSchemaVersion(db)
    if (version > platformMigrations.length) throw new StoreTooNew(file, version, platformMigrations.length)
    return {
      accounts: readRows<Account>(db, schema, 'account').filter(({ state }) => state === 'active'),
      invitations: readRows(db, schema, 'invitation'),
      secrets: readRows(db, schema, 'secret'),
      adminActions: readRows(db, schema, 'operator_deed'),
      farewells: readRows(db, schema, 'farewell'),
      growth: readRows(db, schema, 'growth'),
      oauthClientStates: readRows(db, schema, 'oauth_client_state')
    }
  } catch (error) {
    if (error instanceof StoreTooNew) throw error
    return {
      accounts: [],
      invitations: [],
      secrets: [],
      adminActions: [],
      farewells: [],
      growth: [],
      oauthClientStates: []
    }
  } finally {
    db?.close()
    schema.close()
  }
}

/**
 * Reads the rows of a table up to the first damaged one, and at most as many rows as the file can hold. Skips those
 * that the schema (an empty database) rejects: a misplaced page holds rows of another table.
 */
function readRows<T>(db: Database, schema: Database, table: string): T[] {
  const rows: T[] = []
  try {
    const reading = db.prepare(`SELECT * FROM ${table}`)
    const check = createRowCheck(schema, table, new Set(reading.columns().map(({ name }) => name)))
    let remaining = maxRows(db)
    for (const row of reading.iterate()) {
      if (remaining-- <= 0) break
      const valid = check(row as Row)
      if (valid) rows.push(valid as T)
    }
  } catch {
    // Rows after this one are unreadable.
  }
  return rows
}

type Row = Readonly<Record<string, unknown>>

/**
 * Creates a function that returns a row as the table would store it; `undefined` if it violates a constraint or the
 * type of a column.
 */
function createRowCheck(
  schema: Database,
  table: string,
  present: ReadonlySet<string>
): (row: Row) => Row | undefined {
  const columns = schema.pragma(`table_info(${table})`) as { readonly name: string; readonly type: string }[]
  // Files of earlier versions lack some columns.
  const names = columns.map(({ name }) => name).filter(name => present.has(name))
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) RETURNING *`
  const insert = schema.prepare(sql)
  const clear = schema.prepare(`DELETE FROM ${table}`)
  return row => {
    try {
      const stored = insert.get(names.map(name => row[name])) as Row
      clear.run()
      const isTyped = columns.every(({ name, type }) => {
        const value = stored[name]
        return value === null || typeof value === (type === 'TEXT' ? 'string' : 'number')
      })
      return isTyped ? stored : undefined
    } catch {
      return undefined
    }
  }
}
