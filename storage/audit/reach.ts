/** What a read covered: streams, a range of time, and the number of items. (docs/spec/audit.md#what-was-read) */

/** Updated while a long response is read, until the record is written. */
export interface Reach {
  /** The requested streams; if none were named, those granted to the access (`*` for all). */
  readonly streamIds: readonly string[]
  /** Whether the list was truncated. */
  readonly isCut: boolean
  /** Seconds, as times of events or of points. */
  readonly from: number | undefined
  readonly to: number | undefined
  count: number
  /** Whether the response had not been read to its end. */
  isOpen: boolean
}

const cut = 1
const open = 2

/** A reach as stored in records: a compact tuple. */
export type KeptReach = readonly [
  streamIds: readonly string[],
  from: number | null,
  to: number | null,
  count: number,
  marks?: number
]

export function keptReach({ count, from, isCut, isOpen, streamIds, to }: Reach): KeptReach {
  const marks = (isCut ? cut : 0) + (isOpen ? open : 0)
  const kept = [streamIds, from ?? null, to ?? null, count] as const
  return marks === 0 ? kept : [...kept, marks]
}

export function reachOf([streamIds, from, to, count, marks = 0]: KeptReach): Reach {
  return {
    streamIds,
    isCut: (marks & cut) !== 0,
    from: from ?? undefined,
    to: to ?? undefined,
    count,
    isOpen: (marks & open) !== 0
  }
}
