/** A data directory as an earlier version left it: created by its migrations, with the rows of a current one. */
import { renameSync, rmSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import type { Layout } from '../../storage/files/layout.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import type { Migration } from '../../storage/migrations/migrate.js'
import { platformMigrations } from '../../storage/migrations/platform/index.js'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { createFile } from '../../storage/sqlite/open.js'

/** Schema versions: how many migrations have run. */
export interface Versions {
  readonly platform: number
  readonly user: number
}

/** The last version before text search: rows of a text index cannot be copied. */
export const beforeTexts = 15

/** Converts all files of a closed data directory to earlier versions. */
export function makeOlder(layout: Layout, versions: Versions): void {
  const inspection = new PlatformInspection(layout)
  const ids = [...inspection.accounts()].map(({ id }) => id)
  inspection.close()
  for (const id of ids) makeFileOlder(layout.userFile(id), userMigrations.slice(0, versions.user))
  makeFileOlder(layout.platformFile, platformMigrations.slice(0, versions.platform))
}

/** Returns the schema version of a file. */
export function versionAt(file: string): unknown {
  const db = new SQLite(file, { readonly: true })
  try {
    return db.pragma('user_version', { simple: true })
  } finally {
    db.close()
  }
}

function makeFileOlder(file: string, steps: readonly Migration[]): void {
  const present = `${file}.present`
  const whole = new SQLite(file)
  whole.pragma('wal_checkpoint(TRUNCATE)')
  whole.close()
  renameSync(file, present)
  createFile(file, steps)
  const db = new SQLite(file)
  db.pragma('foreign_keys = OFF')
  db.prepare('ATTACH ? AS present').run(present)
  const names = db
    .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[]
  // What triggers have counted meanwhile is replaced last.
  for (const name of names.toSorted((a, b) => Number(a === 'storage_used') - Number(b === 'storage_used'))) {
    const columns = columnsOf(db, 'main', name).filter(each => columnsOf(db, 'present', name).includes(each))
    const list = columns.map(each => `"${each}"`).join(', ')
    db.exec(`INSERT OR REPLACE INTO main."${name}" (${list}) SELECT ${list} FROM present."${name}"`)
  }
  db.exec('DETACH present')
  db.close()
  for (const kind of ['', '-wal', '-shm']) rmSync(present + kind, { force: true })
}

/** Returns the columns that are not generated. */
function columnsOf(db: SQLite.Database, schema: string, table: string): string[] {
  const sql = 'SELECT name FROM pragma_table_xinfo(?, ?) WHERE hidden = 0'
  return db.prepare(sql).pluck().all(table, schema) as string[]
}
