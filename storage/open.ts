/** Opens SQLite files: the only place that calls `new Database` and sets pragmas. */
import { renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite, { type Database } from 'better-sqlite3'
import { StoreDamaged, StoreTooNew, translated } from './errors.js'
import { syncPathNow } from './files.js'
import { migrate, versionOf, type Migration } from './migrate.js'

export interface OpenOptions {
  /** The schema, step by step. */
  readonly migrations: readonly Migration[]
  /** Make the file if there is none. Otherwise a missing or empty file is damage. */
  readonly create?: boolean
  /**
   * `FULL` syncs at each commit. `NORMAL` leaves that to a {@link WalSync}, which every writer must then wait for; it
   * still syncs around checkpoints, which is what makes the scheme safe. Never anything less.
   */
  readonly synchronous: 'FULL' | 'NORMAL'
  /** Overwrite what is deleted with zeros, so that nothing of it stays in the file. */
  readonly secureDelete?: boolean
  /** Page cache, in KiB. */
  readonly cacheKiB?: number
}

/** Opens, checks and migrates one file. Errors: `StoreDamaged`, `StoreTooNew`, `StorageFull`. */
export function openFile(file: string, options: OpenOptions): Database {
  const isNew = options.create === true && sizeOf(file) === 0
  if (!isNew && sizeOf(file) === 0) throw new StoreDamaged(file, 'is missing or empty')
  let db: Database | undefined
  try {
    db = new SQLite(file, { fileMustExist: !isNew, timeout: 5000 })
    // Before anything is written: a file that is not ours stays as it is.
    if (!isNew && versionOf(db) === 0) throw new StoreDamaged(file, 'holds no schema')
    db.pragma('journal_mode = WAL')
    db.pragma(`synchronous = ${options.synchronous}`)
    db.pragma('foreign_keys = ON')
    if (options.secureDelete) db.pragma('secure_delete = ON')
    db.pragma(`cache_size = -${options.cacheKiB ?? 1024}`)
    migrate(db, options.migrations)
    return db
  } catch (error) {
    db?.close()
    throw translated(error, file)
  }
}

/** Makes a file with its schema: it is there and on disk as a whole, or not at all. Whatever was in its place goes. */
export function createFile(file: string, migrations: readonly Migration[]): void {
  const draft = `${file}.new`
  for (const old of [draft, file])
    for (const kind of ['', '-wal', '-shm']) rmSync(old + kind, { force: true })
  openFile(draft, { migrations, create: true, synchronous: 'FULL' }).close()
  syncPathNow(draft)
  renameSync(draft, file)
  syncPathNow(dirname(file))
}

/** Opens one file only to look at it. Errors: `StoreDamaged`, `StoreTooNew`. */
export function openReadOnly(file: string, steps: number): Database {
  if (sizeOf(file) === 0) throw new StoreDamaged(file, 'is missing or empty')
  let db: Database | undefined
  try {
    db = new SQLite(file, { readonly: true, fileMustExist: true })
    const version = versionOf(db)
    if (version === 0) throw new StoreDamaged(file, 'holds no schema')
    if (version > steps) throw new StoreTooNew(file, version, steps)
    return db
  } catch (error) {
    db?.close()
    throw translated(error, file)
  }
}

/**
 * Holds an exclusive lock on a file by way of SQLite, whose locks are the operating system's. Answers the function that
 * ends it, or nothing when somebody else holds it.
 */
export function openLock(file: string): (() => void) | undefined {
  const db = new SQLite(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    return () => db.close()
  } catch (error) {
    db.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return undefined
    throw translated(error, file)
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
