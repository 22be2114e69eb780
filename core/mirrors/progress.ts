/** How far a copy is: stored with the mirror in the transaction that stores the events, so that a restart loses and repeats nothing. */
import type { CopyReport } from '../../schemas/mirrors/kept-copy.js'
import type { StoredMirror } from '../../storage/mirrors/mirror-repository.js'

/**
 * Events that are being read, latest first. Between two pages, events may change: these have been modified after `startedAt`, so that the
 * next pass reads them.
 */
export interface Pass {
  /** Only events modified later than this, in seconds of the other server; absent: all. */
  readonly since?: number
  /** Where the next page begins: events at this time or before. */
  readonly toTime: number
  /** Number of events at `toTime` that have been read. */
  readonly skip: number
  /** When it began, in seconds of the other server. */
  readonly startedAt?: number
  /** Latest modification that was seen. */
  readonly latest: number
  readonly pages: number
  /** Maximum number of events of a page. */
  readonly limit: number
}

/** What a mirror remembers besides what it shows. */
export interface Progress {
  /** Latest modification up to which all is copied, in seconds of the other server. */
  readonly cursor?: number
  /** The same for deletions. */
  readonly deletedCursor?: number
  /** Number of deletions after `deletedCursor` that are copied: many may have been made at one time. */
  readonly deletedSkip?: number
  /** The events that are being read. */
  readonly pass?: Pass
  /** Number of the comparison that has begun last. */
  readonly comparison: number
  /** Set once the comparison has seen all events: those not seen are to be erased. */
  readonly isSweeping?: true
  /** Set if the streams have changed, so that other events may be visible. */
  readonly isDoubtful?: true
  /** When the other server said for the first time that the permission has ended, if no contact has succeeded since. */
  readonly refused?: number
  /** Number of contacts since the copy was last up to date. */
  readonly contacts?: number
  /** Number of failures since the last contact. */
  readonly failures: number
  /** The secret in the URL that the other server calls after changes. */
  readonly noticeKey?: string
  /** When the other server was asked to call it. */
  readonly noticeAsked?: number
  /** Id of the webhook there. */
  readonly webhookId?: string
  /** Set once it has agreed. */
  readonly getsNotices?: true
  /** When a report last arrived. */
  readonly reported?: number
  /** Number of the last report, and the report that has not arrived. */
  readonly reports?: number
  readonly pendingReport?: Pick<CopyReport, 'number' | 'reads'>
  /** Set once the other server has shown that it takes no reports. */
  readonly takesNoReports?: true
  /** Number of events that have been erased since the copy ended. */
  readonly erased?: number
  /** The endpoint at the end of the copy, for the receipt. */
  readonly farewell?: string
}

/** The earliest and the latest time of an event that is copied, in seconds. */
export const maxTime = 1e15
/** Maximum number of events of a page. */
export const pageLimit = 200

/** Parses what a mirror remembers. */
export function parseProgress({ progress }: StoredMirror): Progress {
  return JSON.parse(progress) as Progress
}

/**
 * Creates the progress of a mirror that has copied nothing. `formers`: the mirrors of the same permission that are erased; the reports on
 * them come before those on this one. `now` in seconds.
 */
export function startProgress(formers: readonly StoredMirror[], now: number): Progress {
  const numbers = formers.map(each => (parseProgress(each).reports ?? 0) + 1)
  return { comparison: 0, failures: 0, reports: Math.max(Math.floor(now), ...numbers) }
}

/** Begins to read events: those modified since a time, or all. */
export function startPass(since?: number): Pass {
  return {
    ...(since !== undefined && { since }),
    toTime: maxTime,
    skip: 0,
    latest: since ?? 0,
    pages: 0,
    limit: pageLimit
  }
}

/**
 * Seconds by which the cursor stays behind the beginning of a pass of several pages. A call that was under way then may have been
 * committed later, with an earlier time.
 */
const margin = 900

/** Returns the time after which deletions may concern events that a first pass has copied. */
export function getFirstDeletion({ latest, startedAt = 0 }: Pass): number {
  return Math.min(latest, startedAt - margin)
}

/** Returns the cursor after a pass. It never goes back. */
export function endPass({ cursor = 0 }: Progress, { latest, pages, startedAt = 0 }: Pass): number {
  return Math.max(cursor, pages <= 1 ? latest : Math.min(latest, startedAt - margin))
}
