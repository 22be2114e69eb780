/** How much one user stores: two sums that triggers keep. */
import type { Database } from 'better-sqlite3'
import { recountOf } from '../migrations/storage-triggers.js'
import { counted } from '../migrations/user/006-storage-used.js'
import { countedSlices } from '../migrations/user/007-followed-slices.js'
import { statement } from '../sqlite/statements.js'

/**
 * What an account stores, in bytes. Two accounts that hold the same things use the same, however their files look: indexes,
 * free pages, sessions, counters, password hashes and the records of deletions do not count.
 */
export interface StorageUsed {
  /**
   * Texts of events with their earlier versions and what is left of deleted ones, streams, accesses (deleted ones as
   * long as they are kept), webhooks, followed slices, profile sets and account fields as JSON in UTF-8, and the points
   * of series.
   */
  readonly documents: number
  /** The files of events. */
  readonly attachments: number
}

const recount = recountOf(counted, countedSlices)

export class StorageUsedRepository {
  constructor(private readonly db: Database) {}

  /** The sums as of now; within a write, what it has changed so far included. */
  get(): StorageUsed {
    return statement(this.db, 'SELECT documents, attachments FROM storage_used').get() as StorageUsed
  }

  /** The sums counted again from all rows: slow, and always the same as {@link get}. */
  recount(): StorageUsed {
    return statement(this.db, recount).get() as StorageUsed
  }
}
