/** Opens SQLite files: the only place that calls `new Database` and sets pragmas. */
import { renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite, { type Database } from 'better-sqlite3'
import { StoreDamaged, StoreTooNew, translated } from '../errors.js'
import { syncPathNow } from '../files/durable.js'
import { migrate, versionOf, type Migration } from '../migrations/migrate.js'
import { statement } from './statements.js'

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
    const version = isNew ? 0 : versionOf(db)
    if (!isNew && version < 1) throw new StoreDamaged(file, 'holds no schema')
    // Together, since each one by itself is prepared again: files are opened all the time.
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous};
      PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -${options.cacheKiB ?? 1024}`)
    if (options.secureDelete) db.pragma('secure_delete = ON')
    if (version !== options.migrations.length) migrate(db, options.migrations)
    // What a savepoint would restore: pages by the hundred in a batch, of which SQLite makes a file otherwise. Migrations
    // still may: they sort whole tables.
    db.exec('PRAGMA temp_store = MEMORY')
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

/**
 * Another connection to a file that is open: for one long write, while the first one goes on reading. It carries nothing
 * over, which would take long; the first one does.
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
 * Opens one file only to look at it, also one that somebody else may have made: its schema may call no functions with side
 * effects, and what its cells say of themselves is checked. Errors: `StoreDamaged`, `StoreTooNew`.
 */
export function openReadOnly(file: string, steps: number): Database {
  if (sizeOf(file) === 0) throw new StoreDamaged(file, 'is missing or empty')
  let db: Database | undefined
  try {
    db = new SQLite(file, { readonly: true, fileMustExist: true })
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON')
    const version = versionOf(db)
    if (version < 1) throw new StoreDamaged(file, 'holds no schema')
    if (version > steps) throw new StoreTooNew(file, version, steps)
    return db
  } catch (error) {
    db?.close()
    throw translated(error, file)
  }
}

/** A schema without a file. */
export function openInMemory(migrations: readonly Migration[]): Database {
  const db = new SQLite(':memory:')
  migrate(db, migrations)
  return db
}

/**
 * Begins the log of a file that is open and whose log has just been made. SQLite would sync the head of it within the first
 * commit, and the folder too, while everybody waits. It need not: no older frames lie behind the head that could be taken
 * for newer ones, and a {@link WalSync} syncs all of it before anybody is told, or anything carried over. This connection
 * must never carry anything over, and cannot: there is an older one that stays, and it writes one page.
 */
export function beginLog(file: string): void {
  const db = new SQLite(file, { fileMustExist: true, timeout: 5000 })
  try {
    db.pragma('wal_autocheckpoint = 0')
    db.pragma('synchronous = OFF')
    commitNothing(db)
  } finally {
    db.close()
  }
}

/**
 * Closes a file, and carries its log over if nobody else has it open. `isNamed`: whether the log's name is on disk. It has to
 * be before anything is carried over, or an older log that had the name might come back and be carried over once more.
 */
export function closeCarryingOver(db: Database, isNamed: boolean): void {
  if (!isNamed && logSize(db.name) > 0) syncPathNow(dirname(db.name))
  db.close()
}

/**
 * Closes a file without carrying its log over into it, which would sync both. Answers the size of the log that is left; an
 * empty one goes.
 */
export function closeLeavingLog(db: Database): number {
  const size = logSize(db.name)
  // SQLite leaves the log alone while others have the file open. This one may not write, so it leaves it in any case.
  const other = size > 0 ? openBeside(db.name) : undefined
  db.close()
  other?.close()
  return size
}

/** Carries the log that a closed file has left over into it; see {@link closeCarryingOver}. The file may be opened meanwhile. */
export function carryOver(file: string, isNamed: boolean): void {
  const db = new SQLite(file, { fileMustExist: true, timeout: 5000 })
  try {
    if (!isNamed) syncPathNow(dirname(file))
    db.pragma('synchronous = NORMAL')
    // Closing would do it, too, but let nobody else in meanwhile. After this it only removes the log.
    db.pragma('wal_checkpoint(PASSIVE)')
  } finally {
    db.close()
  }
}

/**
 * Carries the rest of an open file's log over and begins it again: whoever writes the first frame syncs the head. Nobody may
 * write to the file meanwhile, or would have to wait for that. A log that somebody still reads from is not begun again.
 */
export function carryRestOver(file: string): void {
  const db = new SQLite(file, { fileMustExist: true, timeout: 5000 })
  try {
    db.pragma('wal_autocheckpoint = 0')
    db.pragma('synchronous = NORMAL')
    const [state] = db.pragma('wal_checkpoint(PASSIVE)') as [LogState]
    if (state.log > 0 && state.checkpointed === state.log) commitNothing(db)
  } finally {
    db.close()
  }
}

/** Pages in the log of an open file since that was last begun: it may be longer. None where SQLite cannot tell. */
export function logPages(db: Database): number {
  try {
    return (statement(db, 'PRAGMA wal_checkpoint(NOOP)').get() as LogState).log
  } catch {
    // Whatever is wrong will keep the next commit, too, which tells of it.
    return 0
  }
}

/** Lets SQLite carry a log over by itself within the commit that brings it to so many pages; 0: never. */
export function carryOverFrom(db: Database, pages: number): void {
  db.pragma(`wal_autocheckpoint = ${pages}`)
}

/**
 * Holds on to the present state of an open file. What is behind it can be carried over, but the log cannot be begun again
 * until the function that this answers is called.
 */
export function holdState(file: string): () => void {
  const db = new SQLite(file, { readonly: true, fileMustExist: true, timeout: 5000 })
  try {
    db.exec('BEGIN')
    versionOf(db)
    return () => db.close()
  } catch (error) {
    db.close()
    throw error
  }
}

/** Of the log of a file, in bytes. */
export function logSize(file: string): number {
  return sizeOf(logOf(file))
}

/** The write-ahead log of a file. */
export function logOf(file: string): string {
  return `${file}-wal`
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

/** What SQLite tells of a log: its pages, and how many of them have been carried over. */
interface LogState {
  readonly log: number
  readonly checkpointed: number
}

/** A commit that changes nothing, of one page. */
function commitNothing(db: Database): void {
  db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${versionOf(db)}; COMMIT`)
}

/** Another connection to an open file; none where that has been moved away. */
function openBeside(file: string): Database | undefined {
  let db: Database | undefined
  try {
    db = new SQLite(file, { readonly: true, fileMustExist: true })
    versionOf(db)
    return db
  } catch {
    db?.close()
    return undefined
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
