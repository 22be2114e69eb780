/** Lists the accesses that have read data in a range of time, from the records of the audit. (docs/api/measure-methods.md#a-week) */
import { Type } from 'typebox'
import type { TimeRange } from '../../storage/audit/blocks.js'
import type { AuditRecord } from '../../storage/audit/record.js'
import { getBaseId } from '../access-ids.js'
import type { Reader } from '../call/reader.js'
import { emptyPage, type Listing, type Page } from '../json/json-text.js'

/** An access that has read data. */
export const Looked = Type.Object({
  accessId: Type.String(),
  name: Type.String(),
  /** Number of days on which the access has read data, and of its calls that have read any. */
  days: Type.Integer(),
  reads: Type.Integer()
})

interface Reads {
  readonly days: Set<number>
  reads: number
}

/** Conditions that all records meet. */
const anyRecord = [{ any: undefined, all: [], not: new Set<number>() }]

/**
 * Lists the accesses, those with the most days first; not the user's own. `starts`: when each day begins, in seconds, and when the last
 * one ends. Only for personal callers.
 */
export class LookedListing implements Listing<Reader> {
  readonly #found = new Map<string, Reads>()
  #rest: TimeRange | undefined

  constructor(
    { store }: Reader,
    private readonly starts: readonly number[]
  ) {
    store.completeAudit()
    const since = Math.max(0, Math.ceil(starts[0]! * 1e6))
    this.#rest = { since, until: Math.min(Math.ceil(starts.at(-1)! * 1e6) - 1, store.audit.last) }
  }

  /**
   * Reads a page of records; after the last one, returns all accesses at once, those that read on most days first.
   * Sessions are omitted.
   */
  next({ store }: Reader): Page {
    if (this.#rest) {
      const { records, rest } = store.audit.next(this.#rest, true, anyRecord)
      for (const record of records) this.#add(record)
      this.#rest = rest
      return emptyPage
    }
    const shown = [...this.#found].flatMap(([accessId, { days, reads }]) => {
      const access = store.accesses.findEver(accessId)
      return access && access.type !== 'personal'
        ? [{ accessId, name: access.name, days: days.size, reads }]
        : []
    })
    const sorted = shown.toSorted(
      (a, b) => b.days - a.days || b.reads - a.reads || (a.accessId < b.accessId ? -1 : 1)
    )
    return { text: sorted.map(each => JSON.stringify(each)).join(','), count: sorted.length, done: true }
  }

  #add({ access, auditScope, time }: AuditRecord): void {
    if (!auditScope || auditScope.count === 0) return
    const day = this.starts.findLastIndex(start => start <= time)
    const id = getBaseId(access)
    const known = this.#found.get(id) ?? { days: new Set(), reads: 0 }
    this.#found.set(id, known)
    known.days.add(day)
    known.reads++
  }
}
