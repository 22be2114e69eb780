/** The history of one user's events: earlier versions and records of deletions. (docs/spec/events.md#history; docs/spec/events.md#what-a-deletion-leaves) */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import { measureEvent, removeSomeParts } from './event-parts.js'
import type { Policies } from './policies.js'
import { serializeWithIntegrity } from './serialize-with-integrity.js'
import { column, statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'

/** The record of a deleted event. */
export interface EventDeletion {
  readonly id: string
  readonly deleted: number
  /** Integrity value of the id and the time of deletion. */
  readonly integrity?: string
  /** For each stream the event was in, the ids from it up to its root. These paths decide who may see the record. */
  readonly paths: readonly (readonly string[])[]
}

/** An earlier version of an event. */
interface EventVersion {
  readonly modified: number
  /** As in {@link EventDeletion}. */
  readonly paths: readonly (readonly string[])[]
  /** Public JSON text. */
  readonly body: string
}

/** Length after which a page of versions or deletions ends, in characters. */
const pageSize = 1024 * 1024
/** Maximum number of versions that are reduced in one step. */
const reducedAtOnce = 200

export class EventHistory {
  constructor(
    private readonly db: Database,
    private readonly policies: Policies
  ) {}

  /** True if earlier versions are kept. */
  get isEnabled(): boolean {
    return this.policies.versioning.forceKeepHistory
  }

  /** Returns the work of removing an event, with its versions and points: see {@link measureEvent}. */
  measureEvent(id: string): number {
    return measureEvent(this.db, id)
  }

  /** Stores the current state of an event as a version, before it changes. `paths`: of its streams, as JSON. */
  addVersion(id: string, paths: string): void {
    const sql = `INSERT INTO event_version (event, modified, paths, body)
      SELECT id, modified, ?, body FROM event WHERE id = ?`
    statement(this.db, sql).run(paths, id)
  }

  /**
   * Records the deletion of an event that is about to be removed, and reduces its versions as the settings
   * say, in steps. Returns the integrity value of the deletion, `undefined` if such values are off.
   */
  *recordDeletion(event: Event, deleted: number, paths: string): Steps<string | undefined> {
    const { id } = event
    const { digests, versioning } = this.policies
    if (this.isEnabled && versioning.deletionMode !== 'keep-nothing') this.addVersion(id, paths)
    yield* this.#reduceVersions(id)
    const integrity = digests.event({ id, deleted })
    const sql = 'INSERT INTO event_deletion (id, deleted, paths, integrity, body) VALUES (?, ?, ?, ?, ?)'
    statement(this.db, sql).run(id, deleted, paths, integrity ?? null, this.#buildResidue(event, deleted))
    return integrity
  }

  /**
   * Records the deletion of an event, and removes all else of it. Returns the integrity value of the
   * deletion, `undefined` if such values are off.
   */
  recordErasure(id: string, deleted: number, paths: string): string | undefined {
    statement(this.db, 'DELETE FROM event_version WHERE event = ?').run(id)
    const integrity = this.policies.digests.event({ id, deleted })
    const sql =
      'INSERT OR REPLACE INTO event_deletion (id, deleted, paths, integrity, body) VALUES (?, ?, ?, ?, NULL)'
    statement(this.db, sql).run(id, deleted, paths, integrity ?? null)
    return integrity
  }

  /** Lists the next page of an event's versions by time of modification, later than `after` (seconds). */
  listVersions(id: string, after: number): EventVersion[] {
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

  /** Finds what is kept of a deleted event beyond the record of its deletion, as JSON text. */
  findResidue(id: string): string | undefined {
    const sql = 'SELECT body FROM event_deletion WHERE id = ?'
    return (column(this.db, sql).get(id) as string | null | undefined) ?? undefined
  }

  /**
   * Returns the record of the deletion of an event; `undefined` if it was not deleted, or if none is kept.
   */
  findDeletion(id: string): EventDeletion | undefined {
    const sql = 'SELECT id, deleted, integrity, paths FROM event_deletion WHERE id = ?'
    const row = statement(this.db, sql).get(id)
    return row === undefined ? undefined : toDeletion(row)
  }

  /** Removes the record of the deletion of an event that is restored. */
  removeDeletion(id: string): void {
    statement(this.db, 'DELETE FROM event_deletion WHERE id = ?').run(id)
  }

  /**
   * Lists deletions later than `since` (seconds), by time and id, continuing after `last` if given. The page also ends
   * once the paths reach the size of a page: the paths of one event may take megabytes.
   */
  listDeletionsSince(
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

  /** Returns the time of the latest deletion, in seconds; `undefined` if there is no record of one. */
  getLastDeleted(): number | undefined {
    const latest = column(this.db, 'SELECT max(deleted) FROM event_deletion').get() as number | null
    return latest ?? undefined
  }

  /** Returns what the deletion mode keeps of a deleted event, as JSON text; `null` if nothing. */
  #buildResidue({ integrity: _former, ...event }: Event, deleted: number): string | null {
    const { deletionMode } = this.policies.versioning
    if (deletionMode === 'keep-nothing') return null
    const { id, modified, modifiedBy } = event
    const residue =
      deletionMode === 'keep-authors' ? { id, modified, modifiedBy, deleted } : { ...event, deleted }
    return serializeWithIntegrity(residue, this.policies.digests.event(residue))
  }

  /** Removes what the deletion mode does not keep from the versions of a deleted event, in steps. */
  *#reduceVersions(id: string): Steps<void> {
    const { deletionMode } = this.policies.versioning
    if (deletionMode === 'keep-nothing') while (!removeSomeParts(this.db, 'event_version', id).isDone) yield
    if (deletionMode !== 'keep-authors') return
    for (let last: number | undefined = -Infinity; last !== undefined;) {
      last = this.#reduceToAuthors(id, last)
      yield
    }
  }

  /** Reduces the next versions of an event, later than `after`, to their authors. Returns the time of the last one, `undefined` at the end. */
  #reduceToAuthors(id: string, after: number): number | undefined {
    const sql = `SELECT rowid AS number, modified, json_extract(body, '$.modifiedBy') AS modifiedBy,
      octet_length(body) AS size FROM event_version WHERE event = ? AND modified > ? ORDER BY modified`
    const rows: { number: number; modified: number; modifiedBy: string; size: number }[] = []
    let size = 0
    for (const row of statement(this.db, sql).iterate(id, after)) {
      rows.push(row as (typeof rows)[number])
      size += rows.at(-1)!.size
      if (size > pageSize || rows.length === reducedAtOnce) break
    }
    for (const { modified, modifiedBy, number } of rows) {
      const version = { id, modified, modifiedBy }
      const body = serializeWithIntegrity(version, this.policies.digests.event(version))
      statement(this.db, 'UPDATE event_version SET body = ? WHERE rowid = ?').run(body, number)
    }
    return rows.at(-1)?.modified
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
