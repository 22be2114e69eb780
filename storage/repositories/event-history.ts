/** The past of one user's events: what deletions leave. */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import type { Keeping } from '../keeping.js'
import { column, statement } from '../statements.js'

/** An event that has been deleted. */
export interface EventDeletion {
  readonly id: string
  readonly deleted: number
  /** Of id and time of deletion alone. */
  readonly integrity?: string
  /** For each stream it was in, the ids from that stream up to its root: who could see those may see this. */
  readonly paths: readonly (readonly string[])[]
}

export class EventHistory {
  constructor(
    private readonly db: Database,
    private readonly keeping: Keeping
  ) {}

  /** Remembers that an event was there; `paths` as JSON. */
  bury({ id }: Event, deleted: number, paths: string): void {
    const integrity = this.keeping.seals.event({ id, deleted }) ?? null
    const sql = 'INSERT INTO event_deletion (id, deleted, paths, integrity) VALUES (?, ?, ?, ?)'
    statement(this.db, sql).run(id, deleted, paths, integrity)
  }

  findDeletion(id: string): EventDeletion | undefined {
    const sql = 'SELECT id, deleted, integrity, paths FROM event_deletion WHERE id = ?'
    const row = statement(this.db, sql).get(id)
    return row === undefined ? undefined : toDeletion(row)
  }

  /**
   * Deletions later than `since`, by time and id; going on after `last`, if given.
   */
  deletionsSince(
    since: number,
    isAscending: boolean,
    last: Pick<EventDeletion, 'deleted' | 'id'> | undefined,
    limit: number
  ): EventDeletion[] {
    const [beyond, order] = isAscending ? ['>', 'ASC'] : ['<', 'DESC']
    const sql = `SELECT id, deleted, integrity, paths FROM event_deletion
      WHERE deleted > ? AND (deleted, id) ${beyond} (?, ?) ORDER BY deleted ${order}, id ${order} LIMIT ?`
    const { deleted, id } = last ?? { deleted: isAscending ? since : Infinity, id: '' }
    return statement(this.db, sql).all(since, deleted, id, limit).map(toDeletion)
  }

  /** The latest deletion (seconds). */
  lastDeleted(): number | undefined {
    const latest = column(this.db, 'SELECT max(deleted) FROM event_deletion').get() as number | null
    return latest ?? undefined
  }
}

function toDeletion(row: unknown): EventDeletion {
  const { id, deleted, integrity, paths } = row as Record<'id' | 'paths', string> & {
    deleted: number
    integrity: string | null
  }
  return {
    id,
    deleted,
    ...(integrity !== null && { integrity }),
    paths: JSON.parse(paths) as string[][]
  }
}
