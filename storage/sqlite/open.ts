/** Opens SQLite files: the only place that calls `new Database` and sets pragmas. */
import { renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite, { type Database } from 'better-sqlite3'
import { StoreDamaged, StoreTooNew, translateError } from '../errors.js'
import { syncPathNow } from '../files/durable.js'
import { migrate, readSchemaVersion, type Migration } from '../migrations/migrate.js'
import { statement } from './statements.js'

interface OpenOptions {
  /** The steps that make the schema. */
  readonly migrations: readonly Migration[]
  /** Create the file if it is missing or empty. Otherwise that is an error. */
  readonly create?: boolean
  /**
   * `FULL` syncs at each commit. `NORMAL` leaves that to a `WalSync`, for which every writer must then wait, and
   * syncs at checkpoints only, which the scheme relies on. `OFF` would be unsafe.
   */
  readonly synchronous: 'FULL' | 'NORMAL'
  /** Overwrite deleted content with zeros. */
  readonly secureDelete?: boolean
  /** Size of the page cache, in KiB. */
  readonly cacheKiB?: number
}

/** Opens, checks and migrates a file. Throws `StoreDamaged`, `StoreTooNew`, `StorageFull`. */
export function openFile(file: string, options: OpenOptions): Database {
  const isNew = options.create === true && getSize(file) === 0
  if (!isNew && getSize(file) === 0) throw new StoreDamaged(file, 'is missing or empty')
  let db: Database | undefined
  try {
    db = new SQLite(file, { fileMustExist: !isNew, timeout: 5000 })
    // The file is checked before anything is written, so that a foreign file stays unchanged.
    const version = isNew ? 0 : readSchemaVersion(db)
    if (!isNew && version < 1) throw new StoreDamaged(file, 'holds no schema')
    // In one call, which is faster than preparing each pragma: files are opened often.
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous};
      PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${options.cacheKiB ?? 1024}`)
    if (options.secureDelete) db.pragma('secure_delete = ON')
    if (version !== options.migrations.length) migrate(db, options.migrations)
    // Keeps the journal of savepoints, hundreds of pages in a batch, out of temporary files. Set after migrations, which
    // sort whole tables and should use files.
    db.exec('PRAGMA temp_store = MEMORY')
    return db
  } catch (error) {
    db?.close()
    throw translateError(error, file)
  }
}

/** Creates a file with its schema atomically and durably, replacing any file in its place. */
export function createFile(file: string, migrations: readonly Migration[]): void {
  const draft = `${file}.new`
  for (const old of [draft, file])
    for (const kind of ['', '-wal', '-shm']) rmSync(old + kind, { force: true })
  openFile(draft, { migrations, create: true, synchronous: 'FULL' }).close()
  syncPathNow(draft)
  renameSync(draft, file)
  syncPathNow(dirname(file))
}

/**
 * Opens another connection to an open file, for one long write while the first connection keeps reading. It never
 * checkpoints, which would take long; the first one does.
 */
export function openAgain(file: string, cacheKiB: number): Database {
  const db = new SQLite(file, { fileMustExist: true, timeout: 5000 })
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('synchronous = NORMAL')
  db.pragma('foreign_keys = ON')
  db.pragma(`cache_size = -${cacheKiB}`)
  return db
}

/**
 * Opens a file read-only. The file need not be trusted: its schema cannot call functions with side effects, and the sizes of
 * cells are checked. Throws `StoreDamaged`, `StoreTooNew`.
 */
export function openReadOnly(file: string, steps: number): Database {
  if (getSize(file) === 0) throw new StoreDamaged(file, 'is missing or empty')
  let db: Database | undefined
  try {
    db = new SQLite(file, { readonly: true, fileMustExist: true })
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON')
    const version = readSchemaVersion(db)
    if (version < 1) throw new StoreDamaged(file, 'holds no schema')
    if (version > steps) throw new StoreTooNew(file, version, steps)
    return db
  } catch (error) {
    db?.close()
    throw translateError(error, file)
  }
}

/** Opens an existing file with any schema, to inspect it or to checkpoint its log. Throws what SQLite throws. */
export function openUnchecked(file: string, isReadOnly: boolean): Database {
  const db = new SQLite(file, { readonly: isReadOnly, fileMustExist: true, timeout: 5000 })
  db.exec('PRAGMA trusted_schema = OFF')
  return db
}

/** The smallest cell of a page with the pointer to it, in bytes. */
const minCellBytes = 6

/** Returns the maximum number of rows that a file can hold: scanning a damaged tree may yield more, some without end. */
export function maxRows(db: Database): number {
  const pages = db.pragma('page_count', { simple: true }) as number
  return (pages * (db.pragma('page_size', { simple: true }) as number)) / minCellBytes
}

/** Creates a database with the schema in memory. */
export function openInMemory(migrations: readonly Migration[]): Database {
  const db = new SQLite(':memory:')
  migrate(db, migrations)
  return db
}

/**
 * Writes the header of a write-ahead log that was just created, without syncing. In the first commit SQLite would sync the
 * header and the folder, blocking the event loop. Skipping that is safe for a new log: it holds no stale frames that could be
 * mistaken for valid ones, and `WalSync` syncs all of it before a write is acknowledged or checkpointed. With
 * `synchronous = OFF` this connection must never checkpoint, and cannot: it writes one page, and closing it does not
 * checkpoint, because an older connection stays open.
 */
export function initializeLog(file: string): void {
  const db = new SQLite(file, { fileMustExist: true, timeout: 5000 })
  try {
    db.pragma('wal_autocheckpoint = 0')
    db.pragma('synchronous = OFF')
    commitUnchanged(db)
  } finally {
    db.close()
  }
}

/**
 * Closes a file, and checkpoints its log if no other connection is open. `isNamed`: whether the log's directory entry is on
 * disk. It has to be before a checkpoint, or else an older log of that name might reappear after a crash and be applied.
 */
export function closeWithCheckpoint(db: Database, isNamed: boolean): void {
  if (!isNamed && logSize(db.name) > 0) syncPathNow(dirname(db.name))
  db.close()
}

/**
 * Closes a file without a checkpoint, which would sync both files. Returns the size of the log that is left, in bytes; an
 * empty one is removed.
 */
export function closeLeavingLog(db: Database): number {
  const size = logSize(db.name)
  // SQLite checkpoints when the last connection closes. Here that is a read-only one, which cannot.
  const other = size > 0 ? openReader(db.name) : undefined
  db.close()
  other?.close()
  return size
}

/** Checkpoints the log that a closed file left behind; see {@link closeWithCheckpoint}. The file may be opened in the meantime. */
export function checkpointLog(file: string, isNamed: boolean): void {
  const db = new SQLite(file, { fileMustExist: true, timeout: 5000 })
  try {
    if (!isNamed) syncPathNow(dirname(file))
    db.pragma('synchronous = NORMAL')
    // Closing would checkpoint too, but under an exclusive lock. After this it only removes the log.
    db.pragma('wal_checkpoint(PASSIVE)')
  } finally {
    db.close()
  }
}

/**
 * Checkpoints the rest of an open file's log and restarts the log, which syncs its header. Writers would have to wait for
 * that, so there must be none in the meantime. A log that is still being read from is not restarted.
 */
export function checkpointAndRestart(file: string): void {
  const db = new SQLite(file, { fileMustExist: true, timeout: 5000 })
  try {
    db.pragma('wal_autocheckpoint = 0')
    db.pragma('synchronous = NORMAL')
    const [state] = db.pragma('wal_checkpoint(PASSIVE)') as [LogState]
    if (state.log > 0 && state.checkpointed === state.log) commitUnchanged(db)
  } finally {
    db.close()
  }
}

/** Pages in the log of an open file since it was last restarted (the file itself may be longer); 0 if unknown. */
export function logPages(db: Database): number {
  try {
    return lastFrame(db)
  } catch {
    // Whatever the cause, the next commit will fail too and report it.
    return 0
  }
}

/** Number of the last valid frame in the log of an open file since it was last restarted. Throws what SQLite throws. */
export function lastFrame(db: Database): number {
  return (statement(db, 'PRAGMA wal_checkpoint(NOOP)').get() as LogState).log
}

/** Sets the log size, in pages, from which SQLite checkpoints on commit; 0 disables it. */
export function setAutoCheckpoint(db: Database, pages: number): void {
  db.pragma(`wal_autocheckpoint = ${pages}`)
}

/**
 * Opens a read transaction on the current state of a file. It does not stop checkpoints up to that state, but keeps the log
 * from being restarted until the returned function is called.
 */
export function holdState(file: string): () => void {
  const db = new SQLite(file, { readonly: true, fileMustExist: true, timeout: 5000 })
  try {
    db.exec('BEGIN')
    readSchemaVersion(db)
    return () => db.close()
  } catch (error) {
    db.close()
    throw error
  }
}

/** Returns the size of a file's write-ahead log, in bytes. */
export function logSize(file: string): number {
  return getSize(getLogPath(file))
}

/** Returns the path of a file's write-ahead log. */
export function getLogPath(file: string): string {
  return `${file}-wal`
}

/**
 * Takes an exclusive lock on a file by way of SQLite, which uses locks of the operating system. Returns the function that
 * releases it, or `undefined` if another process holds it.
 */
export function openLock(file: string): (() => void) | undefined {
  const db = new SQLite(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    return () => db.close()
  } catch (error) {
    db.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return undefined
    throw translateError(error, file)
  }
}

/** The result of `PRAGMA wal_checkpoint`: pages in the log, and how many of them have been checkpointed. */
interface LogState {
  readonly log: number
  readonly checkpointed: number
}

/** Commits one page without changing anything. */
function commitUnchanged(db: Database): void {
  db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${readSchemaVersion(db)}; COMMIT`)
}

/** Opens a read-only connection to an open file; `undefined` if the file has been moved away. */
function openReader(file: string): Database | undefined {
  let db: Database | undefined
  try {
    db = new SQLite(file, { readonly: true, fileMustExist: true })
    readSchemaVersion(db)
    return db
  } catch {
    db?.close()
    return undefined
  }
}

function getSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
