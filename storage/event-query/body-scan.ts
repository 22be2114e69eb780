/** The look into the bodies of events for their contents: how many at a time follows how long it takes. */
import type { Database } from 'better-sqlite3'
import { findMatchingContents, type ContentCondition } from './content.js'
import type { Key } from './position.js'

/** Milliseconds that a page may spend on it: some bodies are small, others many megabytes. */
const maxScanMs = 10
/** Bodies that are looked into first. */
const firstRows = 100
const maxRows = 500

/** What a look has found. */
export interface BodyScanResult {
  readonly wanted: readonly Key[]
  /** The last event that there was time for; absent if there was for all. */
  readonly scannedTo: Key | undefined
  /** What the look counts for, where `whole` stands for a page that may spend all its time on it. */
  readonly cost: (whole: number) => number
}

export class BodyScan {
  /** Events whose bodies the next step looks into. */
  rows = firstRows

  /** Those of the events whose contents are wanted, as far as there is time for. */
  scan(db: Database, contents: readonly ContentCondition[], events: readonly Key[]): BodyScanResult {
    const start = performance.now()
    const numbers = events.map(({ number }) => number)
    const { found, scanned, last } = findMatchingContents(db, contents, numbers, maxScanMs)
    const tookMs = performance.now() - start
    this.rows =
      tookMs > maxScanMs / 2 ? Math.max(1, Math.floor(this.rows / 2)) : Math.min(this.rows * 2, maxRows)
    return {
      wanted: events.filter(({ number }) => found.has(number)),
      scannedTo: last === undefined ? undefined : events.find(({ number }) => number === last),
      cost: whole => Math.max(scanned, (tookMs * whole) / maxScanMs)
    }
  }
}
