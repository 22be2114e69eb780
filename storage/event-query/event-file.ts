/** What queries read: one user's open file and its caches. */
import type { Database } from 'better-sqlite3'
import type { PageSizeEstimate, LargeEvents } from './bodies.js'
import type { DurationClasses } from './spans.js'
import type { StreamEnds } from './stream-ends.js'

/** The state of the text index. */
interface IndexedTexts {
  /** The greatest event number up to which all events are indexed. */
  readonly indexedTo: number
  /** Requests indexing of pending events soon. */
  requestIndexing(): void
}

/** A user's file, with what is cached of its events. */
export interface EventFile {
  readonly db: Database
  readonly durationClasses: DurationClasses
  readonly large: LargeEvents
  readonly sizeEstimate: PageSizeEstimate
  readonly ends: StreamEnds
  readonly texts: IndexedTexts
}
