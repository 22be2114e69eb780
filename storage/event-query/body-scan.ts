/** Scans the bodies of events for content conditions, in batches whose size follows how long they take. */
import type { Database } from 'better-sqlite3'
import type { ContentCondition } from '../../schemas/content-condition.js'
import { findMatchingContents } from './content.js'
import type { Key } from './position.js'

/** Maximum time that a page may spend on the scan, in milliseconds: some bodies are small, others many megabytes. */
const maxScanMs = 10
/** Initial batch size, in events. */
const firstRows = 100
const maxRows = 500

/** The result of scanning a batch. */
export interface BodyScanResult {
  readonly wanted: readonly Key[]
  /** The last event that was scanned before time ran out; absent if all were. */
  readonly scannedTo: Key | undefined
  /** The cost of the scan, on a scale where `whole` is a page that spends all its time on it. */
  readonly cost: (whole: number) => number
}

/** Tests the contents of events, as many at a time as take a few milliseconds. */
export class BodyScan {
  /** Events that the next step scans. */
  rows = firstRows

  /**
   * Returns the events whose contents match, as far as time allows, and adapts {@link rows} to the time that
   * it took.
   */
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
