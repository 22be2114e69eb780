/** What a read covered: streams, a range of time, and the number of items. (docs/spec/audit.md#what-was-read) */

/** Updated while a long response is read, until the record is written. */
export interface AuditScope {
  /** The requested streams; if the request named no streams, the streams granted to the access (`*` for all). */
  readonly streamIds: readonly string[]
  /** True if the list of streams was truncated. */
  readonly isTruncated: boolean
  /** The number of streams before the list was truncated. */
  readonly streamCount: number
  /** Seconds, as times of events or of points. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** The streams that are copies of other accounts' streams, without a limit; absent if there are none. Not stored. */
  readonly copies?: readonly string[] | undefined
  count: number
  /** True while the response has not been read to its end. */
  isOpen: boolean
}

const truncatedMark = 1
const openMark = 2

/** A scope as stored in records: a compact tuple. */
export type StoredAuditScope = readonly [
  streamIds: readonly string[],
  from: number | null,
  to: number | null,
  count: number,
  marks?: number,
  /** Number of all streams; only given if the list was truncated. */
  streamCount?: number
]

/** Converts a scope to the form in which records store it. */
export function toStoredScope({
  count,
  from,
  isTruncated,
  isOpen,
  streamCount,
  streamIds,
  to
}: AuditScope): StoredAuditScope {
  const marks = (isTruncated ? truncatedMark : 0) + (isOpen ? openMark : 0)
  const stored = [streamIds, from ?? null, to ?? null, count] as const
  if (streamCount > streamIds.length) return [...stored, marks, streamCount]
  return marks === 0 ? stored : [...stored, marks]
}

/** Parses a stored scope. Records of earlier versions do not say how many streams were omitted. */
export function parseScope([
  streamIds,
  from,
  to,
  count,
  marks = 0,
  streamCount = streamIds.length
]: StoredAuditScope): AuditScope {
  return {
    streamIds,
    isTruncated: (marks & truncatedMark) !== 0,
    streamCount,
    from: from ?? undefined,
    to: to ?? undefined,
    count,
    isOpen: (marks & openMark) !== 0
  }
}
