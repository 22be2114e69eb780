/**
 * Calls without a valid token, or beyond the rate limit. Anyone can make any number of them, so only some calls per
 * hour get a record each, and the others are counted. The counts are stored too, so that a restart does not reset them.
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { AuditEntry } from './record.js'

const hourSeconds = 3600
/** Maximum number of methods that a summary record names. */
const maxNamed = 5

interface Hour {
  /** Hours since the Unix epoch. */
  readonly number: number
  recorded: number
  /** Calls without a record that no summary covers yet, by method. */
  readonly unrecorded: Record<string, number>
  /** The last call that was only counted. */
  last?: AuditEntry
}

/** Counts the calls without an access, and limits how many are recorded per hour. */
export class AnonymousCallers {
  #hour: Hour | undefined
  #isChanged = false
  /** Summary records that wait to be taken. */
  #due: AuditEntry[] = []

  constructor(
    private readonly db: Database,
    private readonly perHour: number
  ) {}

  /** True if counts or summary records have not been written yet. */
  get isDirty(): boolean {
    return this.#isChanged || this.#due.length > 0
  }

  /** Counts a call. Returns whether the call gets its own record. */
  countCall(entry: AuditEntry): boolean {
    const hour = this.#enterHour(entry.time)
    this.#isChanged = true
    if (hour.recorded < this.perHour) {
      hour.recorded++
      return true
    }
    hour.unrecorded[entry.action] = (hour.unrecorded[entry.action] ?? 0) + 1
    hour.last = entry
    return false
  }

  /** Takes the summary records of hours that ended before `time` (seconds). */
  takeDue(time: number): readonly AuditEntry[] {
    if (this.#hour && this.#hour.number < toHour(time)) this.#enterHour(time)
    const due = this.#due
    this.#due = []
    return due
  }

  /** Like {@link takeDue}, including the current hour so far: the audit is about to be read. */
  takeAllDue(): readonly AuditEntry[] {
    this.#hour ??= this.#readStored()
    this.#summarize(this.#hour)
    return this.takeDue(-Infinity)
  }

  /** Writes the counts. Must run within a transaction; call {@link markFlushed} after its commit. */
  flush(): void {
    if (!this.#isChanged) return
    const sql = 'INSERT OR REPLACE INTO audit_strangers (number, body) VALUES (1, ?)'
    statement(this.db, sql).run(JSON.stringify(this.#hour))
  }

  /** Marks the counts as written. */
  markFlushed(): void {
    this.#isChanged = false
  }

  /** Returns the hour of a time, and ends the hour before. A clock set back by up to an hour does not start a new one. */
  #enterHour(time: number): Hour {
    const number = toHour(time)
    const current = (this.#hour ??= this.#readStored())
    if (current && current.number >= number && current.number <= number + 1) return current
    this.#summarize(current)
    this.#isChanged = true
    return (this.#hour = { number, recorded: 0, unrecorded: {} })
  }

  #readStored(): Hour | undefined {
    const body = column(this.db, 'SELECT body FROM audit_strangers').get() as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as Hour)
  }

  /** Adds a record that counts the calls of an hour which were not recorded individually, if there were any. */
  #summarize(hour: Hour | undefined): void {
    if (!hour?.last) return
    const counts = Object.entries(hour.unrecorded).toSorted(([, one], [, other]) => other - one)
    const all = counts.reduce((sum, [, count]) => sum + count, 0)
    const top = counts.slice(0, maxNamed).map(([action, count]) => `${action} ${count}`)
    const methods = [...top, ...(counts.length > maxNamed ? ['…'] : [])].join(', ')
    const message = `Calls not recorded individually: ${all}. This is the last of them (${methods})`
    this.#due.push({ ...hour.last, message })
    for (const [action] of counts) delete hour.unrecorded[action]
    delete hour.last
    this.#isChanged = true
  }
}

function toHour(time: number): number {
  return Math.floor(time / hourSeconds)
}
