/** The storage used by one user: two sums that triggers maintain. */
import type { Database } from 'better-sqlite3'
import { buildRecountSql } from '../migrations/storage-triggers.js'
import { counted } from '../migrations/user/006-storage-used.js'
import { countedSlices } from '../migrations/user/007-followed-slices.js'
import { countedVersions } from '../migrations/user/v2/024-access-versions.js'
import { countedSecrets } from '../migrations/user/v2/027-shared-secrets.js'
import { statement } from '../sqlite/statements.js'

/**
 * The storage used by an account, in bytes. It depends on the account's data alone, not on the layout of its file: indexes,
 * free pages, sessions, counters, password hashes and records of deletions do not count.
 */
export interface StorageUsed {
  /**
   * JSON in UTF-8 of events, their earlier versions and what remains of deleted ones, streams, accesses (earlier versions
   * too, and deleted ones while kept), webhooks, followed slices, profile sets, account fields and shared secrets; and the points
   * of series.
   */
  readonly documents: number
  /** The attached files of events. */
  readonly attachments: number
}

const recount = buildRecountSql(counted, countedSlices, countedVersions, countedSecrets)

export class StorageUsedRepository {
  constructor(private readonly db: Database) {}

  /** Returns the current sums; within a transaction, including its changes so far. */
  get(): StorageUsed {
    return statement(this.db, 'SELECT documents, attachments FROM storage_used').get() as StorageUsed
  }

  /** Recounts the sums from all rows. Slow; should equal {@link get}. */
  recount(): StorageUsed {
    return statement(this.db, recount).get() as StorageUsed
  }
}
