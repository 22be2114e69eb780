/** Reads what is still readable in a damaged platform file. */
import SQLite, { type Database } from 'better-sqlite3'
import { StoreTooNew } from '../errors.js'
import { versionOf } from '../migrations/migrate.js'
import { platformMigrations } from '../migrations/platform/index.js'
import { maxRows } from '../sqlite/open.js'
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
  let db: Database | undefined
  try {
    db = new SQLite(file, { readonly: true, fileMustExist: true })
    const version = versionOf(db)
    if (version > platformMigrations.length) throw new StoreTooNew(file, version, platformMigrations.length)
    return {
      accounts: rowsOf<Account>(db, 'account').filter(
        ({ id, state }) => typeof id === 'string' && state === 'active'
      ),
      invitations: rowsOf(db, 'invitation'),
      secrets: rowsOf(db, 'secret'),
      deeds: rowsOf(db, 'operator_deed'),
      growth: rowsOf(db, 'growth')
    }
  } catch (error) {
    if (error instanceof StoreTooNew) throw error
    return { accounts: [], invitations: [], secrets: [], deeds: [], growth: [] }
  } finally {
    db?.close()
  }
}

/** The rows of a table up to the first damaged one, and no more than the file can hold. */
function rowsOf<T>(db: Database, table: string): T[] {
  const rows: T[] = []
  try {
    const most = maxRows(db)
    for (const row of db.prepare(`SELECT * FROM ${table}`).iterate()) {
      if (rows.length === most) break
      rows.push(row as T)
    }
  } catch {
    // The rows from here on are lost.
  }
  return rows
}
