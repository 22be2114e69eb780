/**
 * The audit of one user. Entries are collected in memory, and written with the next commit or within a second. Each record
 * is chained by a hash to the one before it.
 */
import type { Database } from 'better-sqlite3'
import {
  addBlock,
  blockSize,
  countBlocks,
  findNextBlock,
  removeBlocks,
  type TimeRange
} from '../audit/blocks.js'
import { chooseIndexWords, matchesCriteria, type AuditCriteria } from '../audit/criteria.js'
import {
  formatAccessWord,
  formatActionWord,
  serializeDetail,
  computeLinkHash,
  formatRecordId,
  parseDetail,
  parseRecordTime,
  type AuditEntry,
  type AuditRecord,
  type AuditRow
} from '../audit/record.js'
import { AnonymousCallers } from '../audit/anonymous-callers.js'
import { AuditWords } from '../audit/words.js'
import { LastWritten } from '../audit/last-written.js'
import { column, statement } from '../sqlite/statements.js'

/** Number of pending entries at which they are written at once instead of within a second. */
const flushSize = 500
/**
 * Maximum number of entries waiting while they cannot be written, as on a full disk. Further calls are only counted.
 */
const maxPending = 5000

const columns = 'at, access, action, detail, hex(hash) AS hash'

/**
 * A waiting entry. Thousands may wait for a second, and objects that live that long are copied by the garbage
 * collector: therefore an entry is kept as the text to be stored, unless its response is still being read and counted.
 */
interface Pending extends Pick<AuditEntry, 'time' | 'access' | 'action'> {
  readonly detail: string | AuditEntry
}

/** A position in the pending entries to roll back to. */
export interface AuditMark {
  /** Number of pending entries, and number of entries that the running transaction has written. */
  readonly count: number
  readonly written: number
}

interface Head {
  /** Time in microseconds, and hash, of the last record. */
  at: number
  hash: string
  /** Time of the last record in a block, and the number of records after it. */
  indexed: number
  unindexed: number
}

export class AuditRepository {
  readonly words: AuditWords
  readonly lastWritten = new LastWritten()
  #pending: Pending[] = []
  /** Number of entries written by the running transaction. */
  #written = 0
  #head: Head | undefined
  readonly #anonymous: AnonymousCallers
  /** Time of the last call. */
  #time = 0
  /** The last call that was only counted because too many entries were waiting, and the number of such calls. */
  #lastSkipped: AuditEntry | undefined
  #skippedCount = 0

  constructor(
    private readonly db: Database,
    anonymousPerHour: number
  ) {
    this.words = new AuditWords(db)
    this.#anonymous = new AnonymousCallers(db, anonymousPerHour)
  }

  /** Whether entries or counts wait to be written. */
  get isDirty(): boolean {
    return this.#pending.length > 0 || this.#skippedCount > 0 || this.#anonymous.isDirty
  }

  /** Whether the entries should be written at once. */
  get isFull(): boolean {
    return this.#pending.length >= flushSize
  }

  /**
   * Adds a call. `isAnonymous`: without a valid token, or beyond the rate limit; above a number per hour,
   * such calls are only counted. So are all calls while too many entries wait to be written.
   */
  add(entry: AuditEntry, isAnonymous = false): void {
    this.#time = entry.time
    if (isAnonymous && !this.#anonymous.countCall(entry)) return
    if (this.#pending.length >= maxPending) {
      this.#lastSkipped = entry
      this.#skippedCount++
    } else this.#pending.push(toPending(entry))
  }

  /** Adds the summary records of anonymous calls, of past hours or of `all` so far. Must run outside of transactions. */
  addSummaries(all = false): void {
    const due = all ? this.#anonymous.takeAllDue() : this.#anonymous.takeDue(this.#time)
    if (due.length > 0) this.#pending.push(...due.map(toPending))
  }

  /** The current position, for {@link rollbackTo}. */
  get mark(): AuditMark {
    return { count: this.#pending.length, written: this.#written }
  }

  /** Rolls back to a mark, together with the transaction or savepoint. */
  rollbackTo({ count, written }: AuditMark): void {
    this.#pending.length = count
    this.#written = written
    this.#head = undefined
    this.words.invalidate()
  }

  /** Writes the pending entries. Must run within a transaction; call {@link discardWritten} after its commit. */
  flush(): void {
    this.#anonymous.flush()
    if (this.#lastSkipped) this.#summarizeSkipped(this.#lastSkipped)
    if (this.#written === this.#pending.length) return
    const head = (this.#head ??= this.#readHead())
    for (; this.#written < this.#pending.length; this.#written++)
      this.#write(head, this.#pending[this.#written]!)
    if (head.unindexed >= blockSize) {
      addBlock(this.db, head.indexed)
      head.indexed = head.at
      head.unindexed = 0
    }
  }

  /** Drops the entries that have been written and committed. */
  discardWritten(): void {
    this.#anonymous.markFlushed()
    if (this.#written === 0) return
    this.#pending = this.#written === this.#pending.length ? [] : this.#pending.slice(this.#written)
    this.#written = 0
  }

  /** Time of the last record, in microseconds. */
  get last(): number {
    return (column(this.db, 'SELECT max(at) FROM audit_record').get() as number | null) ?? 0
  }

  /** Id of the last record that is written; `undefined` if there is none. */
  get lastId(): string | undefined {
    const row = statement(this.db, `SELECT ${columns} FROM audit_record ORDER BY at DESC LIMIT 1`).get()
    return row === undefined ? undefined : formatRecordId(toRow(row))
  }

  /** Finds the record with an id, once it has been written. */
  find(id: string): AuditRecord | undefined {
    const at = parseRecordTime(id)
    if (at === undefined) return undefined
    const row = statement(this.db, `SELECT ${columns} FROM audit_record WHERE at = ?`).get(at)
    const found = row === undefined ? undefined : this.#toRecord(toRow(row))
    return found?.id === id ? found : undefined
  }

  /**
   * Scans the next part of a range. Returns the records that meet at least one of the criteria, in order, and the rest
   * of the range, `undefined` at its end. A part may have no records. Entries not yet flushed are omitted.
   */
  next(
    range: TimeRange,
    isAscending: boolean,
    criteria: readonly AuditCriteria[]
  ): { records: AuditRecord[]; rest: TimeRange | undefined } {
    if (range.since > range.until) return { records: [], rest: undefined }
    const words = chooseIndexWords(criteria, some => countBlocks(this.db, some))
    const part = words ? this.#nextRange(range, isAscending, words) : range
    if (!part) return { records: [], rest: undefined }
    const rows = this.#read(part, isAscending, words)
    const isWhole = rows.length < blockSize
    const last = isAscending ? part.until : part.since
    const end = isWhole ? last : rows.at(-1)!.at
    const rest = isAscending ? { ...range, since: end + 1 } : { ...range, until: end - 1 }
    const records = rows.filter(row => matchesCriteria(row, criteria)).map(row => this.#toRecord(row))
    return { records, rest: rest.since > rest.until ? undefined : rest }
  }

  /** Time of the first record, in seconds; `undefined` if there are no records. */
  get first(): number | undefined {
    const at = column(this.db, 'SELECT min(at) FROM audit_record').get() as number | null
    return at === null ? undefined : at / 1e6
  }

  /** Returns whether there are records before a time (seconds). */
  hasBefore(time: number): boolean {
    return (this.first ?? Infinity) < time
  }

  /**
   * Removes the oldest records before a time (seconds), at most `limit`. Returns their number. The hash chain then
   * starts from the last removed record. Must run within a transaction.
   */
  removeBefore(time: number, limit: number): number {
    const sql = `SELECT max(at) FROM (SELECT at FROM audit_record WHERE at < ? ORDER BY at LIMIT +?)`
    const until = column(this.db, sql).get(time * 1e6, limit) as number | null
    if (until === null) return 0
    const anchor = 'UPDATE audit_state SET (at, hash) = (SELECT at, hash FROM audit_record WHERE at = ?)'
    statement(this.db, anchor).run(until)
    removeBlocks(this.db, until)
    // The last record may have been removed too.
    this.#head = undefined
    return statement(this.db, 'DELETE FROM audit_record WHERE at <= ?').run(until).changes
  }

  #toRecord(row: AuditRow): AuditRecord {
    return {
      id: formatRecordId(row),
      time: row.at / 1e6,
      access: this.words.getText(row.access).slice(formatAccessWord('').length),
      action: this.words.getText(row.action).slice(formatActionWord('').length),
      ...parseDetail(row.detail)
    }
  }

  #write(head: Head, entry: Pending): void {
    const at = Math.max(Math.round(entry.time * 1e6), head.at + 1)
    const access = this.words.ensureAccess(entry.access)
    const action = this.words.ensureAction(entry.action)
    const detail = typeof entry.detail === 'string' ? entry.detail : serializeDetail(entry.detail)
    const hash = computeLinkHash(head.hash, at, access.text, action.text, detail)
    const sql = 'INSERT INTO audit_record (at, access, action, detail, hash) VALUES (?, ?, ?, ?, unhex(?))'
    statement(this.db, sql).run(at, access.number, action.number, detail, hash)
    head.at = at
    head.hash = hash
    head.unindexed++
  }

  #summarizeSkipped(last: AuditEntry): void {
    const message = `Calls not recorded individually: ${this.#skippedCount}. This is the last of them`
    this.#pending.push(toPending({ ...last, message }))
    this.#lastSkipped = undefined
    this.#skippedCount = 0
  }

  #readHead(): Head {
    const last = 'SELECT at, lower(hex(hash)) AS hash FROM audit_record ORDER BY at DESC LIMIT 1'
    const state = 'SELECT at, lower(hex(hash)) AS hash, indexed FROM audit_state'
    const { indexed, ...anchor } = statement(this.db, state).get() as Omit<Head, 'unindexed'>
    const head = (statement(this.db, last).get() as Pick<Head, 'at' | 'hash'> | undefined) ?? anchor
    const count = 'SELECT count(*) FROM audit_record WHERE at > ?'
    return { ...head, indexed, unindexed: column(this.db, count).get(indexed) as number }
  }

  /** Returns the next part of a range that may hold records with one of the words. */
  #nextRange(range: TimeRange, isAscending: boolean, words: readonly number[]): TimeRange | undefined {
    const indexed = column(this.db, 'SELECT indexed FROM audit_state').get() as number
    const fresh = range.until > indexed && { ...range, since: Math.max(range.since, indexed + 1) }
    if (!isAscending && fresh) return fresh
    return findNextBlock(this.db, words, range, isAscending) ?? (fresh || undefined)
  }

  #read({ since, until }: TimeRange, isAscending: boolean, words: readonly number[] | undefined): AuditRow[] {
    const order = isAscending ? 'ASC' : 'DESC'
    const where = words
      ? 'AND (access IN (SELECT value FROM json_each(@words)) OR action IN (SELECT value FROM json_each(@words)))'
      : ''
    const sql = `SELECT ${columns} FROM audit_record WHERE at BETWEEN @since AND @until ${where}
      ORDER BY at ${order} LIMIT ${blockSize}`
    const bound = { since, until, ...(words && { words: JSON.stringify(words) }) }
    return statement(this.db, sql).all(bound).map(toRow)
  }
}

function toPending(entry: AuditEntry): Pending {
  const { access, action, auditScope, time } = entry
  return { time, access, action, detail: auditScope?.isOpen ? entry : serializeDetail(entry) }
}

function toRow(row: unknown): AuditRow {
  const { hash, ...rest } = row as AuditRow
  return { ...rest, hash: hash.toLowerCase() }
}
