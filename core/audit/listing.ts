/** Records of the audit as a list, read stretch by stretch. */
import type { AuditCriteria } from '../../storage/audit/criteria.js'
import type { Stretch } from '../../storage/audit/blocks.js'
import type { AuditRecord } from '../../storage/audit/record.js'
import type { Listing, Page } from '../json/json-text.js'
import { Footing, type Reader } from '../call/reader.js'

export interface AuditQuery {
  /** Of which one has to be met. Raises what keeps a reader from the records. */
  readonly criteria: (reader: Reader) => readonly AuditCriteria[]
  /** Seconds, both included. */
  readonly from: number
  readonly to: number
  /** Only what is later than that. */
  readonly modifiedSince: number
  readonly isAscending: boolean
  readonly skip: number
  readonly limit: number
  /** What else has to hold. */
  readonly matches: (record: AuditRecord) => boolean
  readonly present: (record: AuditRecord) => object
}

/** Half of what two times in microseconds differ by at least, and a bit: seconds are not exact. */
const blur = 0.3

/** The list of the records that a query asks for, as far as they are there by now. */
export function auditListing(reader: Reader, query: AuditQuery): Listing<Reader> {
  const { isAscending, limit, matches, present, skip } = query
  // What comes while the list is read, the record of this very call among it, is not in it.
  let criteria = query.criteria(reader)
  const footing = new Footing(reader)
  let rest = criteria.length === 0 ? undefined : rangeOf(query, reader.store.audit.last)
  let skipped = 0
  let count = 0
  return {
    next(current): Page {
      if (footing.hasChanged(current)) criteria = query.criteria(current)
      const { audit } = current.store
      if (!rest || count >= limit) return { text: '', count: 0, done: true }
      const found = audit.next(rest, isAscending, criteria)
      rest = found.rest
      const texts: string[] = []
      for (const record of found.records) {
        if (!matches(record) || skipped++ < skip) continue
        if (count + texts.length >= limit) break
        texts.push(JSON.stringify(present(record)))
      }
      count += texts.length
      return { text: texts.join(','), count: texts.length, done: !rest || count >= limit }
    }
  }
}

/** The range of times, in microseconds. */
function rangeOf({ from, modifiedSince, to }: AuditQuery, last: number): Stretch {
  return {
    since: inRange(Math.max(Math.ceil(from * 1e6 - blur), Math.floor(modifiedSince * 1e6 + blur) + 1)),
    until: Math.min(inRange(Math.floor(to * 1e6 + blur)), last)
  }
}

/** A time that a row can have. */
function inRange(time: number): number {
  return Math.min(Math.max(time, 0), Number.MAX_SAFE_INTEGER)
}
