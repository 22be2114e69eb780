/** Which attachments the events of one user have, and which bytes are to go. */
import type { Database } from 'better-sqlite3'
import type { Attachment } from '../../schemas/event.js'
import { column, statement } from '../sqlite/statements.js'

export class AttachmentRepository {
  #orphans: boolean | undefined

  constructor(private readonly db: Database) {}

  /** Whether bytes may be waiting for their removal. */
  get hasOrphans(): boolean {
    return (this.#orphans ??= column(this.db, 'SELECT 1 FROM orphan LIMIT 1').get() !== undefined)
  }

  has(id: string): boolean {
    return column(this.db, 'SELECT 1 FROM attachment WHERE id = ?').get(id) !== undefined
  }

  /** The number of the event that has it. */
  eventOf(id: string): number | undefined {
    return column(this.db, 'SELECT event FROM attachment WHERE id = ?').get(id) as number | undefined
  }

  /** Sum of the sizes of all attachments, in bytes. */
  totalSize(): number {
    return column(this.db, 'SELECT ifnull(sum(size), 0) FROM attachment').get() as number
  }

  /** Makes these the attachments of an event; the bytes of those it had before, and has no longer, are to go. */
  replace(event: number, attachments: readonly Attachment[]): void {
    const before = column(this.db, 'SELECT id FROM attachment WHERE event = ?').all(event) as string[]
    const kept = new Set(attachments.map(({ id }) => id))
    for (const id of before) if (!kept.has(id)) this.#orphan(id)
    const sql = 'INSERT OR IGNORE INTO attachment (id, event, size) VALUES (?, ?, ?)'
    for (const { id, size } of attachments) statement(this.db, sql).run(id, event, size)
  }

  /** Ids whose bytes are to be removed. */
  orphans(limit: number): string[] {
    return column(this.db, 'SELECT id FROM orphan LIMIT +?').all(limit) as string[]
  }

  /** Forgets orphans: their bytes are gone. */
  settle(ids: readonly string[]): void {
    for (const id of ids) statement(this.db, 'DELETE FROM orphan WHERE id = ?').run(id)
    this.forget()
  }

  forget(): void {
    this.#orphans = undefined
  }

  #orphan(id: string): void {
    statement(this.db, 'DELETE FROM attachment WHERE id = ?').run(id)
    statement(this.db, 'INSERT OR IGNORE INTO orphan (id) VALUES (?)').run(id)
    this.#orphans = true
  }
}
