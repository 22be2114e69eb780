/**
 * Removes expired records of deletions, which are kept for a while for clients that synchronise.
 * (docs/spec/conventions.md#trash-and-deletion)
 */
import type { Database } from 'better-sqlite3'
import { maxRemovedBytes, removeSomeParts } from './event-parts.js'
import { column, statement } from '../sqlite/statements.js'

/** The tables with records of deletions; each has an index by time. */
const tables = ['event_deletion', 'stream_deletion', 'access'] as const
type Table = (typeof tables)[number]

/** Rows of other tables that are removed with a record, by its id. */
const dependentRows: Readonly<Record<Table, readonly (readonly [table: string, column: string])[]>> = {
  event_deletion: [],
  stream_deletion: [],
  access: [
    ['access_use', 'access'],
    ['access_calls', 'access'],
    ['mirror_kept', 'access'],
    ['session', 'access']
  ]
}

/**
 * Records that must be kept. A deleted personal access is kept while accesses that it created exist: its record shows
 * that the owner created them.
 */
const exceptions: Readonly<Partial<Record<Table, string>>> = {
  access: `AND NOT (type = 'personal' AND EXISTS (SELECT 1 FROM access AS made WHERE made.deleted IS NULL
    AND made.createdBy >= record.id AND made.createdBy < record.id || '!'))`
}

/** The versions that belong to records, which may be very many. */
const versionTables = {
  event_deletion: 'event_version',
  stream_deletion: undefined,
  access: 'access_version'
} as const
const noVersions = { share: 0, isDone: true }

/** The size of a record, in bytes. An access may have thousands of permissions, and the path of a stream a hundred long ids. */
const sizes: Readonly<Record<Table, string>> = {
  event_deletion: 'octet_length(paths) + ifnull(octet_length(body), 0)',
  stream_deletion: 'octet_length(path)',
  access: 'octet_length(body)'
}

/** The record of a deleted stream. `path`: the ids from it up to its root, which decide who may see the record. */
export interface StreamDeletion {
  readonly id: string
  readonly deleted: number
  readonly path: readonly string[]
}

/** Limits of a page of records: their number, and the characters of their paths, of which one may have 100,000. */
const [pageRows, pageSize] = [1000, 256 * 1024]

export class DeletionRecords {
  static #cleanings = 0

  constructor(private readonly db: Database) {}

  /** Time of the latest record of a deleted stream, in seconds; 0 if there is none. */
  get lastOfStream(): number {
    return column(this.db, 'SELECT ifnull(max(deleted), 0) FROM stream_deletion').get() as number
  }

  /** Lists the records of streams that were deleted after a time (seconds), latest first, in pages: a page begins after `last`. */
  listStreams(
    since: number,
    last?: Pick<StreamDeletion, 'deleted' | 'id'>
  ): { readonly deletions: readonly StreamDeletion[]; readonly isLast: boolean } {
    // In the order of the index, so that nothing is sorted.
    const sql = `SELECT id, deleted, path FROM stream_deletion INDEXED BY stream_deletion_deleted
      WHERE deleted > ? AND (deleted, id) < (?, ?) ORDER BY deleted DESC, id DESC`
    const { deleted, id } = last ?? { deleted: Infinity, id: '' }
    const deletions: StreamDeletion[] = []
    let size = 0
    for (const row of statement(this.db, sql).iterate(since, deleted, id)) {
      if (deletions.length === pageRows || size > pageSize) return { deletions, isLast: false }
      const { path, ...rest } = row as { id: string; deleted: number; path: string }
      deletions.push({ ...rest, path: JSON.parse(path) as string[] })
      size += path.length
    }
    return { deletions, isLast: true }
  }

  /** Returns the id of a copied stream that was deleted after a time (seconds), itself or one above it being among `copies`; `undefined` if there is none. */
  findErased(since: number, copies: ReadonlySet<string>): string | undefined {
    const sql = `SELECT id, path FROM stream_deletion INDEXED BY stream_deletion_deleted
      WHERE deleted > ? AND id >= ':_followed:' AND id < ':_followed;'`
    for (const row of statement(this.db, sql).iterate(since)) {
      const { id, path } = row as { id: string; path: string }
      if (copies.has(id) || (JSON.parse(path) as string[]).some(each => copies.has(each))) return id
    }
    return undefined
  }

  /** Number of removals in this thread, over all accounts. Static, so that it survives closing a file. */
  get cleanings(): number {
    return DeletionRecords.#cleanings
  }

  /** Returns whether there are records of deletions before a time (seconds). */
  hasBefore(time: number): boolean {
    return tables.some(table => this.#listOldest(table, time, 1).length > 0)
  }

  /**
   * Removes records of deletions before a time (seconds), at most `limit` of each kind, with the earlier
   * versions and counts that belong to them; fewer where they are large, or an event, or an access, has very many versions, of which some are removed at
   * each call. Keeps deleted personal accesses while accesses that they created exist. Returns the number of records.
   * Must run within a transaction.
   */
  removeBefore(time: number, limit: number): number {
    let [removed, share] = [0, 0]
    DeletionRecords.#cleanings++
    for (const table of tables) {
      const versions = versionTables[table]
      for (const { id, size } of this.#listOldest(table, time, limit)) {
        const removal = versions ? removeSomeParts(this.db, versions, id) : noVersions
        share += removal.share + size / maxRemovedBytes
        // The record goes with the last of them.
        if (!removal.isDone) return removed
        for (const [other, name] of dependentRows[table])
          statement(this.db, `DELETE FROM ${other} WHERE ${name} = ?`).run(id)
        statement(this.db, `DELETE FROM ${table} WHERE id = ?`).run(id)
        removed++
        if (share >= 1) return removed
      }
    }
    return removed
  }

  #listOldest(table: Table, time: number, limit: number): { id: string; size: number }[] {
    const sql = `SELECT id, ${sizes[table]} AS size FROM ${table} AS record INDEXED BY ${table}_deleted
      WHERE deleted < ? ${exceptions[table] ?? ''} ORDER BY deleted LIMIT +?`
    return statement(this.db, sql).all(time, limit) as { id: string; size: number }[]
  }
}
