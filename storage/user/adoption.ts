/** Adopts an account's file from elsewhere, or from an earlier version. */
import type { Layout } from '../files/layout.js'
import { userMigrations } from '../migrations/user/index.js'
import { migrateFile } from '../sqlite/copies.js'
import { openFile } from '../sqlite/open.js'
import { recreateTextTables } from '../texts/tables.js'
import { removePosition } from '../wal/closed-file.js'

/**
 * Migrates the file of one account to the current schema, and then removes its position in a log of changes.
 * Returns the version that it had.
 */
export function migrateUserFile(layout: Layout, id: string): number {
  const file = layout.userFile(id)
  const version = migrateFile(file, userMigrations)
  // The log of its changes does not include the migration.
  if (version < userMigrations.length) removePosition(file)
  return version
}

/** Rebuilds the text index of a file that has the current schema, and removes its position in a log of changes. */
export function adoptUserFile(layout: Layout, id: string): void {
  const file = layout.userFile(id)
  const db = openFile(file, { migrations: userMigrations, synchronous: 'FULL' })
  try {
    db.transaction(recreateTextTables).immediate(db)
  } finally {
    db.close()
  }
  removePosition(file)
}
