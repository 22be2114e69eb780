/** Reads the file of an account without changing it. */
import { extractNumbers } from '../content-numbers.js'
import type { Layout } from '../files/layout.js'
import { userMigrations } from '../migrations/user/index.js'
import { readUnmigratedValues, listUniqueValues, type UniqueValue } from '../repositories/account-fields.js'
import { StorageUsedRepository } from '../repositories/storage-used.js'
import { column, statement } from '../sqlite/statements.js'
import { getSystemNumber } from '../streams/system-streams.js'
import { Inspection } from './inspection.js'

/** An event as a row: columns and text, which have to match. */
export interface InspectedEvent {
  readonly number: number
  readonly id: string
  readonly time: number
  readonly modified: number
  /** As in event rows: 2 for hidden. */
  readonly trashed: 0 | 1 | 2
  readonly type: number
  readonly stream: number
  readonly others: string | null
  readonly body: string
}

interface InspectedAuditRecord {
  readonly at: number
  readonly access: string
  readonly action: string
  readonly detail: string
  readonly hash: string
}

interface InspectedDeletion {
  readonly id: string
  readonly deleted: number
  readonly integrity: string | null
  readonly body: string | null
}

/** The file of one account. */
export class UserInspection extends Inspection {
  constructor(layout: Layout, id: string) {
    super(layout.userFile(id), userMigrations.length)
  }

  /** From now on all reads see the file as it is now, whatever is written in the meantime, until the file is closed. */
  holdSnapshot(): void {
    this.db.exec('BEGIN')
  }

  /** Yields all events, row by row, so that the file may be large. The other generators work in the same way. */
  events(): Generator<InspectedEvent> {
    return this.readRows('SELECT number AS key, * FROM event WHERE number > ? ORDER BY number LIMIT 1', 0)
  }

  deletions(): Generator<InspectedDeletion> {
    return this.readRows('SELECT id AS key, * FROM event_deletion WHERE id > ? ORDER BY id LIMIT 1', '')
  }

  /** Earlier versions. `item`: the id of the event or access; only versions of events have `modified`. */
  versions(
    kind: 'event' | 'access'
  ): Generator<{ readonly item: string; readonly modified?: number; readonly body: string }> {
    const sql = `SELECT rowid AS key, ${kind} AS item, * FROM ${kind}_version WHERE rowid > ? ORDER BY rowid LIMIT 1`
    return this.readRows(sql, 0)
  }

  accesses(): Generator<{ readonly id: string; readonly token: string; readonly body: string }> {
    return this.readRows('SELECT id AS key, * FROM access WHERE id > ? ORDER BY id LIMIT 1', '')
  }

  streams(): Generator<{ readonly id: string; readonly parentId: string | null }> {
    const sql = `SELECT id AS key, id, nullif(parentId, '') AS parentId FROM stream WHERE id > ? ORDER BY id LIMIT 1`
    return this.readRows(sql, '')
  }

  profiles(): Generator<{ readonly name: string; readonly body: string }> {
    return this.readRows('SELECT name AS key, * FROM profile WHERE name > ? ORDER BY name LIMIT 1', '')
  }

  followedSlices(): Generator<{ readonly id: string; readonly body: string }> {
    return this.readRows('SELECT id AS key, * FROM followed_slice WHERE id > ? ORDER BY id LIMIT 1', '')
  }

  connections(): Generator<{
    readonly id: string
    readonly access: string
    readonly body: string
    readonly arrivals: string
  }> {
    return this.readRows('SELECT id AS key, * FROM connection WHERE id > ? ORDER BY id LIMIT 1', '')
  }

  /** Audit records in the order of the hash chain, with words as text. */
  auditRecords(): Generator<InspectedAuditRecord> {
    return this.readRows(
      `SELECT at AS key, at, ${selectWord('access')}, ${selectWord('action')}, detail, lower(hex(hash)) AS hash
       FROM audit_record WHERE at > ? ORDER BY at LIMIT 1`,
      0
    )
  }

  /** Returns the start of the hash chain, and the time of the last record in a block. */
  auditAnchor(): { readonly at: number; readonly hash: string; readonly indexed: number } {
    const sql = 'SELECT at, lower(hex(hash)) AS hash, indexed FROM audit_state'
    return statement(this.db, sql).get() as { at: number; hash: string; indexed: number }
  }

  /** Returns whether the index of blocks covers a record with this word and time. */
  hasBlock(word: string, linked: number): boolean {
    const sql = `SELECT 1 FROM audit_block JOIN audit_word ON number = word
      WHERE text = ? AND until >= ? AND since <= ? LIMIT 1`
    return column(this.db, sql).get(word, linked, linked) !== undefined
  }

  /**
   * Returns the ids of the streams that an event is linked to with the right columns. System streams have no rows: they
   * are identified by their numbers, among the ids that the event shows.
   */
  listLinks(
    { number, others, stream, time, trashed, type }: InspectedEvent,
    shownIds: readonly string[],
    content: unknown
  ): string[] {
    const streams = [stream, ...(JSON.parse(others ?? '[]') as number[])]
    const { fields, value } = extractNumbers(content)
    const columns = [type, others === null ? null : stream, value, fields]
    const sql = `SELECT ifnull((SELECT id FROM stream WHERE number = l.stream), l.stream) FROM event_stream l
      WHERE l.stream = ? AND trashed = ? AND time = ? AND event = ?
        AND type IS ? AND home IS ? AND value IS ? AND fields IS ?`
    const system = new Map(
      shownIds.flatMap(id => (['account', 'other'] as const).map(kind => [getSystemNumber(id, kind), id]))
    )
    return streams.flatMap(linked => {
      const found = column(this.db, sql).get(linked, trashed, time, number, ...columns) as
        | string
        | number
        | undefined
      if (found === undefined) return []
      return typeof found === 'string' ? found : (system.get(found) ?? String(found))
    })
  }

  /** Lists the values that must be unique across accounts. */
  uniqueValues(): UniqueValue[] {
    return listUniqueValues(this.db)
  }

  /** Lists the account fields that have not been migrated to events yet. */
  listUnmigratedFields(): string[] {
    return [...readUnmigratedValues(this.db).keys()]
  }

  /**
   * Returns the size of an event's attachment according to the attachment table, in bytes; `undefined` if it has no
   * row.
   */
  getAttachmentSize(attachment: string, event: number): number | undefined {
    const sql = 'SELECT size FROM attachment WHERE id = ? AND event = ?'
    return column(this.db, sql).get(attachment, event) as number | undefined
  }

  /** Lists all attachments of events. */
  attachments(): { readonly id: string; readonly size: number }[] {
    return statement(this.db, 'SELECT id, size FROM attachment ORDER BY id').all() as {
      id: string
      size: number
    }[]
  }

  hasAttachment(id: string): boolean {
    return column(this.db, 'SELECT 1 FROM attachment WHERE id = ?').get(id) !== undefined
  }

  /** Counts the rows that link events to streams, and attachments: each must belong to an event. */
  countRows(): { readonly links: number; readonly attachments: number } {
    const count = (table: string): number => column(this.db, `SELECT count(*) FROM ${table}`).get() as number
    return { links: count('event_stream'), attachments: count('attachment') }
  }

  /** Returns whether the stored sums of storage used match a recount. */
  isStorageCounted(): boolean {
    const used = new StorageUsedRepository(this.db)
    return JSON.stringify(used.get()) === JSON.stringify(used.recount())
  }
}

/** Builds the SQL for the word that a column of a record refers to; empty text if that word is missing. */
function selectWord(name: string): string {
  return `ifnull((SELECT text FROM audit_word WHERE number = ${name}), '') AS ${name}`
}
