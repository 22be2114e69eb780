/** Audit records as a listing, read range by range. */
import type { AuditCriteria } from '../../storage/audit/criteria.js'
import type { TimeRange } from '../../storage/audit/blocks.js'
import type { AuditRecord } from '../../storage/audit/record.js'
import type { Listing, Page } from '../json/json-text.js'
import { ReaderVersion, type Reader } from '../call/reader.js'

interface AuditQuery {
  /** Criteria of which one has to match. Throws if the reader may not see the records. */
  readonly criteria: (reader: Reader) => readonly AuditCriteria[]
  /** Seconds, inclusive. */
  readonly from: number
  readonly to: number
  /** Only records later than this, in seconds. */
  readonly modifiedSince: number
  readonly isAscending: boolean
  readonly skip: number
  readonly limit: number
  /** A further condition. */
  readonly matches: (record: AuditRecord) => boolean
  readonly present: (record: AuditRecord) => object
}

/** Tolerance in microseconds for rounding errors of seconds, less than half of the least difference of two times. */
const roundingTolerance = 0.3

/** Lists the records that match a query and exist when the listing is created. */
export function createAuditListing(reader: Reader, query: AuditQuery): Listing<Reader> {
  const { isAscending, limit, matches, present, skip } = query
  // Records written while the list is read are omitted, including that of this very call.
  let criteria = query.criteria(reader)
  const version = new ReaderVersion(reader)
  let rest = criteria.length === 0 ? undefined : toTimeRange(query, reader.store.audit.last)
  let skipped = 0
  let count = 0
  return {
    next(current): Page {
      if (version.hasChanged(current)) criteria = query.criteria(current)
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

/** Returns the range of times, in microseconds. */
function toTimeRange({ from, modifiedSince, to }: AuditQuery, last: number): TimeRange {
  return {
    since: clampTime(
      Math.max(
        Math.ceil(from * 1e6 - roundingTolerance),
        Math.floor(modifiedSince * 1e6 + roundingTolerance) + 1
      )
    ),
    until: Math.min(clampTime(Math.floor(to * 1e6 + roundingTolerance)), last)
  }
}

/** Limits a time to values that a row can have. */
function clampTime(time: number): number {
  return Math.min(Math.max(time, 0), Number.MAX_SAFE_INTEGER)
}
