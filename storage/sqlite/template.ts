/** The template of new files: an empty one with the current schema, which is copied. */
import { StorageFull } from '../errors.js'
import type { Migration } from '../migrations/migrate.js'
import { createFile, openFile } from './open.js'

/** Makes the template, unless that of an earlier run can still be used. */
export function makeTemplate(file: string, migrations: readonly Migration[]): void {
  if (!isUsable(file, migrations)) createFile(file, migrations)
}

function isUsable(file: string, migrations: readonly Migration[]): boolean {
  try {
    openFile(file, { migrations, synchronous: 'FULL' }).close()
    return true
  } catch (error) {
    // It cannot even be opened, much less made again.
    if (error instanceof StorageFull) throw error
    return false
  }
}
