/** The past of one user's events: earlier versions, and what deletions leave. (docs/spec/events.md#history; docs/spec/events.md#what-a-deletion-leaves) */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import type { Policies } from './policies.js'
import { withIntegrity } from './with-integrity.js'
import { column, statement } from '../sqlite/statements.js'

/** An event that has been deleted. */
export interface EventDeletion {
  readonly id: string
  readonly deleted: number
  /** Of id and time of deletion alone. */
  readonly integrity?: string
  /** For each stream it was in, the ids from that stream up to its root: who could see those may see this. */
  readonly paths: readonly (readonly string[])[]
}

/** An event as it was. */
export interface EventVersion {
  readonly modified: number
  /** Where it was: as in {@link EventDeletion}. */
  readonly paths: readonly (readonly string[])[]
  /** Public text. */
  readonly body: string
}

/** Size of the bodies after which a page of versions ends, in characters. */
const pageSize = 1024 * 1024

export class EventHistory {
  constructor(
    private readonly db: Database,
    private readonly keeping: Policies
  ) {}

  /** Whether earlier versions are kept. */
  get isKept(): boolean {
    return this.keeping.versioning.forceKeepHistory
  }

  /** Keeps an event as it is now, before it changes; `paths` of its streams as JSON. */
  keep(id: string, paths: string): void {
    const sql = `INSERT INTO event_version (event, modified, paths, body)
      SELECT id, modified, ?, body FROM event WHERE id = ?`
    statement(this.db, sql).run(paths, id)
  }

  /**
   * Remembers that an event was there, which is about to go, and lets go of what is not to remain of it. Answers the
   * integrity value of the deletion.
   */
  bury(event: Event, deleted: number, paths: string): string | undefined {
    const { id } = event
    const { digests: seals, versioning } = this.keeping
    if (this.isKept && versioning.deletionMode !== 'keep-nothing') this.keep(id, paths)
    this.#reduceVersions(id)
    const integrity = seals.event({ id, deleted })
    const sql = 'INSERT INTO event_deletion (id, deleted, paths, integrity, body) VALUES (?, ?, ?, ?, ?)'
    statement(this.db, sql).run(id, deleted, paths, integrity ?? null, this.#residueOf(event, deleted))
    return integrity
  }

  /** The next versions of an event, in order of modification, after the one of that time; some at a time. */
  versions(id: string, after: number): EventVersion[] {
    const sql =
      'SELECT modified, paths, body FROM event_version WHERE event = ? AND modified > ? ORDER BY modified'
    const page: EventVersion[] = []
    let size = 0
    for (const row of statement(this.db, sql).iterate(id, after)) {
      const { modified, paths, body } = row as { modified: number; paths: string; body: string }
      page.push({ modified, paths: JSON.parse(paths) as string[][], body })
      if ((size += body.length) > pageSize) break
    }
    return page
  }

  /** What is left of a deleted event, as text, if that is more than the deletion tells. */
  findResidue(id: string): string | undefined {
    const sql = 'SELECT body FROM event_deletion WHERE id = ?'
    return (column(this.db, sql).get(id) as string | null | undefined) ?? undefined
  }

  findDeletion(id: string): EventDeletion | undefined {
    const sql = 'SELECT id, deleted, integrity, paths FROM event_deletion WHERE id = ?'
    const row = statement(this.db, sql).get(id)
    return row === undefined ? undefined : toDeletion(row)
  }

  /**
   * Deletions later than `since`, by time and id; going on after `last`, if given. Ends with the one at which the paths come
   * to a page: those of an event may be megabytes long.
   */
  deletionsSince(
    since: number,
    isAscending: boolean,
    last: Pick<EventDeletion, 'deleted' | 'id'> | undefined,
    limit: number
  ): { readonly rows: EventDeletion[]; readonly done: boolean } {
    const [beyond, order] = isAscending ? ['>', 'ASC'] : ['<', 'DESC']
    const sql = `SELECT id, deleted, integrity, paths FROM event_deletion
      WHERE deleted > ? AND (deleted, id) ${beyond} (?, ?) ORDER BY deleted ${order}, id ${order} LIMIT +?`
    const { deleted, id } = last ?? { deleted: isAscending ? since : Infinity, id: '' }
    const rows: EventDeletion[] = []
    let size = 0
    for (const row of statement(this.db, sql).iterate(since, deleted, id, limit)) {
      rows.push(toDeletion(row))
      size += (row as { paths: string }).paths.length
      if (size > pageSize) return { rows, done: false }
    }
    return { rows, done: rows.length < limit }
  }

  /** The latest deletion (seconds). */
  lastDeleted(): number | undefined {
    const latest = column(this.db, 'SELECT max(deleted) FROM event_deletion').get() as number | null
    return latest ?? undefined
  }

  #residueOf({ integrity: _former, ...event }: Event, deleted: number): string | null {
    const { deletionMode } = this.keeping.versioning
    if (deletionMode === 'keep-nothing') return null
    const { id, modified, modifiedBy } = event
    const residue =
      deletionMode === 'keep-authors' ? { id, modified, modifiedBy, deleted } : { ...event, deleted }
    return withIntegrity(residue, this.keeping.digests.event(residue))
  }

  #reduceVersions(id: string): void {
    const { deletionMode } = this.keeping.versioning
    if (deletionMode === 'keep-nothing')
      statement(this.db, 'DELETE FROM event_version WHERE event = ?').run(id)
    if (deletionMode !== 'keep-authors') return
    const sql = `SELECT rowid AS number, modified, json_extract(body, '$.modifiedBy') AS modifiedBy
      FROM event_version WHERE event = ?`
    for (const row of statement(this.db, sql).all(id)) {
      const { number, ...author } = row as { number: number; modified: number; modifiedBy: string }
      const version = { id, ...author }
      const body = withIntegrity(version, this.keeping.digests.event(version))
      statement(this.db, 'UPDATE event_version SET body = ? WHERE rowid = ?').run(body, number)
    }
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
