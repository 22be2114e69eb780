/** What queries read: one user's open file, and what is kept in memory of it. */
import type { Database } from 'better-sqlite3'
import type { PageSizeEstimate, LargeEvents } from './bodies.js'
import type { DurationClasses } from './spans.js'
import type { StreamEnds } from './stream-ends.js'

/** How far the index of texts has come. */
export interface IndexedTexts {
  /** The greatest number up to which it holds all events. */
  readonly indexedTo: number
  /** Asks for what waits to be indexed soon. */
  requestIndexing(): void
}

export interface EventFile {
  readonly db: Database
  readonly durationClasses: DurationClasses
  readonly large: LargeEvents
  readonly sizeEstimate: PageSizeEstimate
  readonly ends: StreamEnds
  readonly texts: IndexedTexts
}
