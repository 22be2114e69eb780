/**
 * Calls that came without a valid token, or too often: anybody can make as many as he likes, so only some of each hour have
 * a record of their own. The others are counted, in the file too: neither closing it nor a restart begins the hour again.
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { AuditEntry } from './record.js'

const hourSeconds = 3600
/** Methods that are named where calls are told of by number. */
const named = 5

interface Hour {
  /** Hours since the Unix epoch. */
  readonly number: number
  recorded: number
  /** Calls that have been counted and not been told of, by method. */
  readonly uncounted: Record<string, number>
  /** The last of them. */
  last?: AuditEntry
}

export class Strangers {
  #hour: Hour | undefined
  #isChanged = false
  /** What is to be told of hours that are over. */
  #due: AuditEntry[] = []

  constructor(
    private readonly db: Database,
    private readonly perHour: number
  ) {}

  /** Whether there is anything to be written: counts, or records of what was counted. */
  get isDirty(): boolean {
    return this.#isChanged || this.#due.length > 0
  }

  /** Counts a call; answers whether it gets a record of its own. */
  admits(entry: AuditEntry): boolean {
    const hour = this.#at(entry.time)
    this.#isChanged = true
    if (hour.recorded < this.perHour) {
      hour.recorded++
      return true
    }
    hour.uncounted[entry.action] = (hour.uncounted[entry.action] ?? 0) + 1
    hour.last = entry
    return false
  }

  /** Takes the records that stand for calls that had none, of hours that are over at `time`. */
  takeDue(time: number): readonly AuditEntry[] {
    if (this.#hour && this.#hour.number < numberOf(time)) this.#at(time)
    const due = this.#due
    this.#due = []
    return due
  }

  /** As {@link takeDue}, of all calls that had none so far: somebody wants to read of them. */
  takeAll(): readonly AuditEntry[] {
    this.#hour ??= this.#stored()
    this.#tellOf(this.#hour)
    return this.takeDue(-Infinity)
  }

  /** Writes the counts. Within a transaction; {@link settle} follows its commit. */
  flush(): void {
    if (!this.#isChanged) return
    const sql = 'INSERT OR REPLACE INTO audit_strangers (number, body) VALUES (1, ?)'
    statement(this.db, sql).run(JSON.stringify(this.#hour))
  }

  /** Forgets that there is something to be written. */
  settle(): void {
    this.#isChanged = false
  }

  /** The hour that a time lies in, the one before being over. A clock that was set back begins none. */
  #at(time: number): Hour {
    const number = numberOf(time)
    const known = (this.#hour ??= this.#stored())
    if (known && known.number >= number && known.number <= number + 1) return known
    this.#tellOf(known)
    this.#isChanged = true
    return (this.#hour = { number, recorded: 0, uncounted: {} })
  }

  #stored(): Hour | undefined {
    const body = column(this.db, 'SELECT body FROM audit_strangers').get() as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as Hour)
  }

  #tellOf(hour: Hour | undefined): void {
    if (!hour?.last) return
    const counts = Object.entries(hour.uncounted).toSorted(([, one], [, other]) => other - one)
    const all = counts.reduce((sum, [, count]) => sum + count, 0)
    const most = counts.slice(0, named).map(([action, count]) => `${action} ${count}`)
    const what = [...most, ...(counts.length > named ? ['…'] : [])].join(', ')
    const message = `${all} calls have not been recorded one by one, this being the last of them (${what})`
    this.#due.push({ ...hour.last, message })
    for (const [action] of counts) delete hour.uncounted[action]
    delete hour.last
    this.#isChanged = true
  }
}

function numberOf(time: number): number {
  return Math.floor(time / hourSeconds)
}
