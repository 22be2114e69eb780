/** What queries read: one user's open file, and what is kept in memory of it. */
import type { Database } from 'better-sqlite3'
import type { Fit, LargeEvents } from './bodies.js'
import type { Spans } from './spans.js'
import type { StreamEnds } from './stream-ends.js'

/** How far the index of texts has come. */
export interface IndexedTexts {
  /** The greatest number up to which it holds all events. */
  readonly indexedTo: number
  /** Asks for what waits to be indexed soon. */
  want(): void
}

export interface EventFile {
  readonly db: Database
  readonly spans: Spans
  readonly large: LargeEvents
  readonly fit: Fit
  readonly ends: StreamEnds
  readonly texts: IndexedTexts
}
