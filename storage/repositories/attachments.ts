/** The attachments of one user's events, and orphans: attachments whose bytes are still to be removed. */
import type { Database } from 'better-sqlite3'
import type { Attachment } from '../../schemas/event.js'
import { column, statement } from '../sqlite/statements.js'

export class AttachmentRepository {
  #orphans: boolean | undefined

  constructor(private readonly db: Database) {}

  /** True if bytes of attachments remain to be removed. */
  get hasOrphans(): boolean {
    return (this.#orphans ??= column(this.db, 'SELECT 1 FROM orphan LIMIT 1').get() !== undefined)
  }

  /** Returns whether an event has a file with this id; orphans do not count. */
  has(id: string): boolean {
    return column(this.db, 'SELECT 1 FROM attachment WHERE id = ?').get(id) !== undefined
  }

  /** Finds the number of the event that an attachment belongs to. */
  findEventNumber(id: string): number | undefined {
    return column(this.db, 'SELECT event FROM attachment WHERE id = ?').get(id) as number | undefined
  }

  /** Finds the id of the event that an attachment belongs to. */
  findEventId(id: string): string | undefined {
    const sql = 'SELECT e.id FROM attachment a JOIN event e ON e.number = a.event WHERE a.id = ?'
    return column(this.db, sql).get(id) as string | undefined
  }

  /** Returns the sum of the sizes of all attachments, in bytes. */
  totalSize(): number {
    return column(this.db, 'SELECT ifnull(sum(size), 0) FROM attachment').get() as number
  }

  /** Sets the attachments of an event. Attachments that the event no longer has become orphans. */
  replace(event: number, attachments: readonly Attachment[]): void {
    const before = column(this.db, 'SELECT id FROM attachment WHERE event = ?').all(event) as string[]
    const kept = new Set(attachments.map(({ id }) => id))
    for (const id of before) if (!kept.has(id)) this.#orphan(id)
    const sql = 'INSERT OR IGNORE INTO attachment (id, event, size) VALUES (?, ?, ?)'
    for (const { id, size } of attachments)
      // An import that is repeated gives a file the id that it had before: its bytes are needed again.
      if (statement(this.db, sql).run(id, event, size).changes > 0 && this.hasOrphans)
        this.removeOrphans([id])
  }

  /** Records a file that no event refers to, whose bytes are to be removed. */
  addOrphan(id: string): void {
    statement(this.db, 'INSERT OR IGNORE INTO orphan (id) VALUES (?)').run(id)
    this.#orphans = true
  }

  /** Lists ids whose bytes remain to be removed. */
  listOrphans(limit: number): string[] {
    return column(this.db, 'SELECT id FROM orphan LIMIT +?').all(limit) as string[]
  }

  /** Removes orphans whose bytes have been removed. */
  removeOrphans(ids: readonly string[]): void {
    for (const id of ids) statement(this.db, 'DELETE FROM orphan WHERE id = ?').run(id)
    this.invalidate()
  }

  /** Clears the cached {@link hasOrphans}. */
  invalidate(): void {
    this.#orphans = undefined
  }

  #orphan(id: string): void {
    statement(this.db, 'DELETE FROM attachment WHERE id = ?').run(id)
    this.addOrphan(id)
  }
}
