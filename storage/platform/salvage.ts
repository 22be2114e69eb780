/** Reads what is still readable in a damaged platform file. */
import SQLite, { type Database } from 'better-sqlite3'
import { StoreTooNew } from '../errors.js'
import { versionOf } from '../migrations/migrate.js'
import { platformMigrations } from '../migrations/platform/index.js'
import { maxRows, openInMemory } from '../sqlite/open.js'
import type { KnownInvitation } from './invitations.js'
import type { Account } from './account.js'
import type { GrowthDay } from './growth.js'
import type { Deed } from './operator-deeds.js'

export interface Salvaged {
  readonly accounts: readonly Account[]
  readonly invitations: readonly KnownInvitation[]
  /** Random secrets of the platform, by name. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[]
  readonly growth: readonly GrowthDay[]
  /** Deeds of operators, oldest first; their details as JSON. */
  readonly deeds: readonly (Omit<Deed, 'detail'> & { readonly detail: string })[]
}

/** Returns what is readable; empty if the file cannot be opened. Throws `StoreTooNew`. */
export function salvage(file: string): Salvaged {
  const schema = openInMemory(platformMigrations)
  let db: Database | undefined
  try {
    db = new SQLite(file, { readonly: true, fileMustExist: true })
    const version = versionOf(db)
    if (version > platformMigrations.length) throw new StoreTooNew(file, version, platformMigrations.length)
    return {
      accounts: readRows<Account>(db, schema, 'account').filter(({ state }) => state === 'active'),
      invitations: readRows(db, schema, 'invitation'),
      secrets: readRows(db, schema, 'secret'),
      deeds: readRows(db, schema, 'operator_deed'),
      growth: readRows(db, schema, 'growth')
    }
  } catch (error) {
    if (error instanceof StoreTooNew) throw error
    return { accounts: [], invitations: [], secrets: [], deeds: [], growth: [] }
  } finally {
    db?.close()
    schema.close()
  }
}

/**
 * Reads the rows of a table up to the first damaged one, and no more than the file can hold. Leaves out those that the schema,
 * a database without rows, does not take: a page in a wrong place holds rows of another table.
 */
function readRows<T>(db: Database, schema: Database, table: string): T[] {
  const rows: T[] = []
  try {
    const reading = db.prepare(`SELECT * FROM ${table}`)
    const fit = rowCheck(schema, table, new Set(reading.columns().map(({ name }) => name)))
    let left = maxRows(db)
    for (const row of reading.iterate()) {
      if (left-- <= 0) break
      const fitting = fit(row as Row)
      if (fitting) rows.push(fitting as T)
    }
  } catch {
    // The rows from here on are lost.
  }
  return rows
}

type Row = Readonly<Record<string, unknown>>

/** Returns what gives a row as the table would keep it, `undefined` if it violates a constraint or the type of a column. */
function rowCheck(
  schema: Database,
  table: string,
  found: ReadonlySet<string>
): (row: Row) => Row | undefined {
  const columns = schema.pragma(`table_info(${table})`) as { readonly name: string; readonly type: string }[]
  // A file of an earlier version lacks some.
  const names = columns.map(({ name }) => name).filter(name => found.has(name))
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) RETURNING *`
  const inserting = schema.prepare(sql)
  const emptying = schema.prepare(`DELETE FROM ${table}`)
  return row => {
    try {
      const kept = inserting.get(names.map(name => row[name])) as Row
      emptying.run()
      const isTyped = columns.every(({ name, type }) => {
        const value = kept[name]
        return value === null || typeof value === (type === 'TEXT' ? 'string' : 'number')
      })
      return isTyped ? kept : undefined
    } catch {
      return undefined
    }
  }
}
