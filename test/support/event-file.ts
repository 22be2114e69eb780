/** A user's file with streams and events, for tests of storage alone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { Test } from 'tap'
import type { Event } from '../../schemas/event.js'
import { LastWritten } from '../../storage/audit/last-written.js'
import type { EventQuery } from '../../storage/event-query/query.js'
import type { EventRun } from '../../storage/repositories/events.js'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { openFile } from '../../storage/sqlite/open.js'
import { AttachmentRepository } from '../../storage/repositories/attachments.js'
import { EventHistory } from '../../storage/repositories/event-history.js'
import { EventRepository } from '../../storage/repositories/events.js'
import { StreamRepository } from '../../storage/repositories/streams.js'
import { getSystemTree } from '../../storage/streams/system-streams.js'
import { unsealed } from './keeping.js'

export class EventFile {
  readonly streams: StreamRepository
  readonly attachments: AttachmentRepository
  readonly history: EventHistory
  events: EventRepository
  #count = 0

  constructor(readonly db: Database) {
    this.streams = new StreamRepository(db, getSystemTree(unsealed.system))
    this.attachments = new AttachmentRepository(db)
    this.history = new EventHistory(db, unsealed)
    this.events = this.#openEvents()
  }

  /** Discards caches, as closing and reopening the file does. */
  reopen(): void {
    this.events = this.#openEvents()
  }

  #openEvents(): EventRepository {
    return new EventRepository(this.db, this, unsealed.digests, new LastWritten())
  }

  stream(id: string, parentId: string | null = null): number {
    const tracking = { created: 1, createdBy: 'system', modified: 1, modifiedBy: 'system' }
    return this.streams.insert({ id, name: id, parentId, ...tracking }).number
  }

  /** Creates an event as a method does: by default without duration, at second 1. */
  event(fields: Partial<Event> = {}): Event {
    const streamIds = fields.streamIds ?? ['diary']
    return {
      id: `c${String(++this.#count).padStart(24, '0')}`,
      streamIds,
      streamId: streamIds[0]!,
      time: 1,
      type: 'note/txt',
      content: 'hello',
      tags: [],
      created: 1,
      createdBy: 'system',
      modified: 1,
      modifiedBy: 'system',
      ...fields
    }
  }

  insert(fields: Partial<Event> = {}): Event {
    const event = this.event(fields)
    this.events.insert(event)
    return event
  }

  /** Creates a query without starting it. */
  query(query: Partial<EventQuery>): EventRun {
    return this.events.query({
      isRunning: false,
      trashed: [0],
      order: 'DESC',
      skip: 0,
      limit: Infinity,
      present: body => body,
      ...query
    })
  }

  /** Runs a query, and returns the ids of each page. */
  pages(query: Partial<EventQuery>): string[][] {
    const run = this.query(query)
    const pages: string[][] = []
    for (;;) {
      const { text, count, done } = this.events.next(run)
      const ids = (JSON.parse(`[${text}]`) as Event[]).map(({ id }) => id)
      if (ids.length !== count) throw new Error(`${count} events announced, ${ids.length} in the page`)
      pages.push(ids)
      if (done) return pages
    }
  }

  ids(query: Partial<EventQuery>): string[] {
    return this.pages(query).flat()
  }
}

/** Creates a file with a stream `diary`. */
export function eventFile(t: Test): EventFile {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
  const db = openFile(join(directory, 'user.sqlite'), {
    migrations: userMigrations,
    create: true,
    synchronous: 'NORMAL'
  })
  t.teardown(() => {
    db.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const file = new EventFile(db)
  file.stream('diary')
  return file
}
