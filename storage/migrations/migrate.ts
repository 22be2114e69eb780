/** Brings a file's schema up to date: numbered steps, of which all pending ones run in one transaction. */
import type { Database } from 'better-sqlite3'
import { StoreTooNew } from '../errors.js'

/** One step: SQL, or code if SQL is not sufficient. Never edited once released. */
export type Migration = string | ((db: Database) => void)

/**
 * Applies the steps beyond the file's `user_version`. Schema and version commit or roll back together. Throws
 * `StoreTooNew` for a file that is newer than the last step.
 */
export function migrate(db: Database, steps: readonly Migration[]): void {
  const current = readSchemaVersion(db)
  if (current > steps.length) throw new StoreTooNew(db.name, current, steps.length)
  if (current === steps.length) return
  db.transaction(() => {
    for (const step of steps.slice(readSchemaVersion(db))) {
      if (typeof step === 'string') db.exec(step)
      else step(db)
    }
    db.pragma(`user_version = ${steps.length}`)
  }).immediate()
}

/** Returns the number of steps that have been applied to the file. */
export function readSchemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}
