/** The mirrors of one account, and what belongs to their copies. */
import type { Database } from 'better-sqlite3'
import type { CopyRead, StoredKeptCopy } from '../../schemas/mirrors/kept-copy.js'
import type { Mirror } from '../../schemas/mirrors/mirror.js'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

/** A mirror with what is never shown of it. */
export interface StoredMirror {
  readonly mirror: Mirror
  /** When there is something to do, in seconds. */
  readonly next: number | null
  /** JSON: how far the copy is. */
  readonly progress: string
}

/** An event of a copy. */
interface CopiedEvent {
  /** Hash of what decides whether the copy is up to date. */
  readonly version: string
  /** Number of the comparison in which it was last seen. */
  readonly pass: number
}

/** What remains to be read of an event of a copy. */
export interface MirrorPart {
  /** Of the event of this account. */
  readonly id: string
  readonly kind: 'files' | 'points'
  /**
   * 1: points that have not changed, but are to be read again, from the deltaTime `at` on; 2: and then from the first on. 3: points that
   * have changed before they were read again, which waits for a comparison; 4: the same, after a comparison.
   */
  readonly isDoubtful: 0 | 1 | 2 | 3 | 4
  /** The deltaTime from which points are read again; of files the index of the first that is read next. */
  readonly at: number
  /** When to go on, in seconds; `null`: after the next comparison. */
  readonly next: number | null
  /** Number of failures in a row. */
  readonly failures: number
}

/** Maximum number of rows of reads that wait for a mirror: others are counted together. */
const maxReads = 2000

interface Row {
  readonly body: string
  readonly next: number | null
  readonly progress: string
}

export class MirrorRepository {
  #isUsed: boolean | undefined
  /** Roots of the copies that are being erased. */
  #ending: Set<string> | undefined

  constructor(private readonly db: Database) {}

  /** Whether the account has mirrors. */
  get isUsed(): boolean {
    return (this.#isUsed ??= column(this.db, 'SELECT EXISTS (SELECT 1 FROM mirror)').get() === 1)
  }

  /** Number of mirrors that are not erased. */
  get count(): number {
    return column(this.db, `SELECT count(*) FROM mirror WHERE body ->> '$.state' <> 'erased'`).get() as number
  }

  /** Finds a mirror by its id, also one whose copy has been erased. */
  find(id: string): StoredMirror | undefined {
    const row = statement(this.db, 'SELECT body, next, progress FROM mirror WHERE id = ?').get(id)
    return row === undefined ? undefined : toStored(row as Row)
  }

  /** Lists all mirrors. */
  list(): StoredMirror[] {
    const rows = statement(this.db, 'SELECT body, next, progress FROM mirror ORDER BY id').all() as Row[]
    return rows.map(toStored)
  }

  /** Returns whether the copy with this root has ended and is being erased. */
  isEnding(root: string): boolean {
    if (!this.isUsed) return false
    const sql = `SELECT body ->> '$.streamId' FROM mirror WHERE body ->> '$.state' = 'erasing'`
    this.#ending ??= new Set(column(this.db, sql).all() as string[])
    return this.#ending.has(root)
  }

  /** Lists the mirrors of an access. */
  listByAccess(access: string): StoredMirror[] {
    const sql = 'SELECT body, next, progress FROM mirror WHERE access = ?'
    return (statement(this.db, sql).all(access) as Row[]).map(toStored)
  }

  /** Lists the mirrors for which there is something to do, the first due first. */
  listDue(limit: number): { readonly id: string; readonly next: number }[] {
    if (!this.isUsed) return []
    const sql = 'SELECT id, next FROM mirror WHERE next IS NOT NULL ORDER BY next, id LIMIT +?'
    return statement(this.db, sql).all(limit) as { id: string; next: number }[]
  }

  /** Adds a mirror, or replaces the one with its id. */
  put({ mirror, next, progress }: StoredMirror): void {
    const sql = 'INSERT OR REPLACE INTO mirror (id, access, next, body, progress) VALUES (?, ?, ?, ?, ?)'
    this.#write(sql, mirror.id, mirror.accessId, next, JSON.stringify(mirror), progress)
    this.#isUsed = true
    if (mirror.state === 'erasing') this.#ending?.add(mirror.streamId)
    else this.#ending?.delete(mirror.streamId)
  }

  /** Makes a mirror due at a time (seconds), unless it has ended. Also if it is due now: it may be being copied. */
  wake(id: string, at: number): void {
    this.#write('UPDATE mirror SET next = ? WHERE id = ? AND next IS NOT NULL', at, id)
  }

  /**
   * Makes the mirrors of an access, except those for which there is nothing to do, due at a time (seconds).
   * Returns whether there are any.
   */
  wakeByAccess(access: string, at: number): boolean {
    if (!this.isUsed) return false
    const sql = 'UPDATE mirror SET next = ? WHERE access = ? AND next IS NOT NULL'
    return statement(this.db, sql).run(at, access).changes > 0
  }

  /**
   * Removes a mirror, with its reads, and the lists of copied events and of what remains to be read. The copied events
   * stay: erase them before.
   */
  remove(id: string): void {
    this.#write('DELETE FROM mirror_read WHERE mirror = ?', id)
    this.#write('DELETE FROM mirror_event WHERE mirror = ?', id)
    this.#write('DELETE FROM mirror_part WHERE mirror = ?', id)
    this.#write('DELETE FROM mirror WHERE id = ?', id)
    this.invalidate()
  }

  /** Finds what is recorded about an event that a mirror has copied; `undefined` if it has not. */
  findEvent(mirror: string, id: string): CopiedEvent | undefined {
    const sql = 'SELECT version, pass FROM mirror_event WHERE mirror = ? AND id = ?'
    return statement(this.db, sql).get(mirror, id) as CopiedEvent | undefined
  }

  /** Adds an event of a copy, or replaces it. */
  putEvent(mirror: string, id: string, { pass, version }: CopiedEvent): void {
    const sql = 'INSERT OR REPLACE INTO mirror_event (mirror, id, version, pass) VALUES (?, ?, ?, ?)'
    this.#write(sql, mirror, id, version, pass)
  }

  /** Removes an event of a copy. */
  removeEvent(mirror: string, id: string): void {
    this.#write('DELETE FROM mirror_event WHERE mirror = ? AND id = ?', mirror, id)
    this.#write('DELETE FROM mirror_part WHERE mirror = ? AND id = ?', mirror, id)
  }

  /** Finds a part of a copy that is to be read. */
  findPart(mirror: string, { id, kind }: Pick<MirrorPart, 'id' | 'kind'>): MirrorPart | undefined {
    const sql = `SELECT id, kind, isDoubtful, at, next, failures FROM mirror_part
      WHERE mirror = ? AND id = ? AND kind = ?`
    return statement(this.db, sql).get(mirror, id, kind) as MirrorPart | undefined
  }

  /** Finds the part of a copy whose turn it is at a time (seconds). */
  findDuePart(mirror: string, kind: MirrorPart['kind'], now: number): MirrorPart | undefined {
    const sql = `SELECT id, kind, isDoubtful, at, next, failures FROM mirror_part
      WHERE mirror = ? AND kind = ? AND next <= ? ORDER BY next LIMIT 1`
    return statement(this.db, sql).get(mirror, kind, now) as MirrorPart | undefined
  }

  /** Adds a part of a copy, or replaces it. */
  putPart(mirror: string, { at, failures, id, isDoubtful, kind, next }: MirrorPart): void {
    const sql = `INSERT OR REPLACE INTO mirror_part (mirror, id, kind, isDoubtful, at, next, failures)
      VALUES (?, ?, ?, ?, ?, ?, ?)`
    this.#write(sql, mirror, id, kind, isDoubtful, at, next, failures)
  }

  /** Removes a part that is copied. */
  removePart(mirror: string, { id, kind }: Pick<MirrorPart, 'id' | 'kind'>): void {
    this.#write('DELETE FROM mirror_part WHERE mirror = ? AND id = ? AND kind = ?', mirror, id, kind)
  }

  /** Makes everything due that waits for a comparison. */
  wakeParts(mirror: string, now: number): void {
    const sql = 'UPDATE mirror_part SET next = ? WHERE mirror = ? AND next IS NULL'
    this.#write(sql, now, mirror)
    this.#write('UPDATE mirror_part SET isDoubtful = 4 WHERE mirror = ? AND isDoubtful = 3', mirror)
  }

  /** Number of the events of a copy. */
  countEvents(mirror: string): number {
    return column(this.db, 'SELECT count(*) FROM mirror_event WHERE mirror = ?').get(mirror) as number
  }

  /** Lists events of a copy that were last seen in a comparison before this one. */
  listUnseen(mirror: string, pass: number, limit: number): string[] {
    const sql = 'SELECT id FROM mirror_event WHERE mirror = ? AND pass < ? LIMIT +?'
    return column(this.db, sql).all(mirror, pass, limit) as string[]
  }

  /** Lists events that are in a stream. */
  listInStream(stream: number, limit: number): string[] {
    const sql = `SELECT id FROM event_stream CROSS JOIN event ON number = event_stream.event
      WHERE event_stream.stream = ? LIMIT +?`
    return column(this.db, sql).all(stream, limit) as string[]
  }

  /**
   * Adds a read of a copy. Once 2000 rows wait for the mirror, reads of all readers and streams are counted
   * together by day.
   */
  addRead(mirror: string, { calls, day, events, reader, streamId }: CopyRead): void {
    const known = 'SELECT count(*) FROM mirror_read WHERE mirror = ?'
    const isFull = (column(this.db, known).get(mirror) as number) >= maxReads
    const sql = `INSERT INTO mirror_read (mirror, day, reader, stream, calls, events) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, events = events + excluded.events`
    this.#write(sql, mirror, day, isFull ? '' : reader, isFull ? '' : streamId, calls, events)
  }

  /** Returns whether reads of a copy wait for a report. */
  hasReads(mirror: string): boolean {
    return column(this.db, 'SELECT 1 FROM mirror_read WHERE mirror = ? LIMIT 1').get(mirror) === 1
  }

  /** Removes and returns reads of a copy, the earliest first. */
  takeReads(mirror: string, limit: number): CopyRead[] {
    const sql = `SELECT day, reader, stream AS streamId, calls, events FROM mirror_read
      WHERE mirror = ? ORDER BY day, reader, stream LIMIT +?`
    const reads = statement(this.db, sql).all(mirror, limit) as CopyRead[]
    for (const { day, reader, streamId } of reads)
      this.#write(
        'DELETE FROM mirror_read WHERE mirror = ? AND day = ? AND reader = ? AND stream = ?',
        mirror,
        day,
        reader,
        streamId
      )
    return reads
  }

  /** Finds the copy that the holder of an access keeps. */
  findKept(access: string): StoredKeptCopy | undefined {
    const body = column(this.db, 'SELECT body FROM mirror_kept WHERE access = ?').get(access)
    return body === undefined ? undefined : (JSON.parse(body as string) as StoredKeptCopy)
  }

  /** Finds the id of the access that has, or had, a token, and whose holder keeps a copy. Does not read the permissions of others. */
  findKeptByToken(token: string): string | undefined {
    const sql = `SELECT access.id FROM mirror_kept CROSS JOIN access ON access.id = mirror_kept.access
      WHERE access.token = ?`
    return column(this.db, sql).get(token) as string | undefined
  }

  /** Lists the copies that others keep, or have kept. */
  listKept(): StoredKeptCopy[] {
    const bodies = column(this.db, 'SELECT body FROM mirror_kept').all() as string[]
    return bodies.map(body => JSON.parse(body) as StoredKeptCopy)
  }

  /** Records a copy that someone keeps. */
  putKept(kept: StoredKeptCopy): void {
    const sql = 'INSERT OR REPLACE INTO mirror_kept (access, body) VALUES (?, ?)'
    this.#write(sql, kept.accessId, JSON.stringify(kept))
  }

  /** Deletes, as `work` does, so that not even free parts of the file hold what was there: it belongs to someone else. */
  overwriteDeleted<T>(work: () => T): T {
    this.db.pragma('secure_delete = ON')
    try {
      return work()
    } finally {
      this.db.pragma('secure_delete = OFF')
    }
  }

  /** Drops what is cached. */
  invalidate(): void {
    this.#isUsed = undefined
    this.#ending = undefined
  }

  #write(sql: string, ...values: readonly (string | number | null)[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }
}

function toStored({ body, next, progress }: Row): StoredMirror {
  return { mirror: JSON.parse(body) as Mirror, next, progress }
}
