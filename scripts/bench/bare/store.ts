/** Minimal durable stores of events and series, with which the speed of the service is compared. */
import { fdatasync, openSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import SQLite, { type Database, type Statement } from 'better-sqlite3'
import { createStoredEvent, createPoints } from '../seed/sample.js'

/** `in-loop`: each commit syncs in the event loop. `off-thread`: the thread pool syncs the log after the commit. */
export type Durability = 'in-loop' | 'off-thread'

const schema = `
CREATE TABLE item (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time REAL NOT NULL, until REAL, kind TEXT NOT NULL,
  hidden INTEGER NOT NULL, changed REAL NOT NULL, body TEXT NOT NULL
);
CREATE INDEX item_time ON item (time);
CREATE INDEX item_changed ON item (changed);
CREATE INDEX item_until ON item (until) WHERE until IS NOT NULL;
CREATE TABLE item_stream (stream INTEGER, time REAL, item INTEGER, PRIMARY KEY (stream, time, item)) WITHOUT ROWID;
CREATE TABLE piece (number INTEGER PRIMARY KEY, series INTEGER, first REAL, last REAL, count INTEGER, points TEXT);
CREATE INDEX piece_first ON piece (series, first);
`
/** The initial content of a file: events, distributed over streams, and the points of series 0 in chunks. */
const [eventCount, streamCount] = [1000, 98]
const [pointCount, pieceSize] = [100_000, 2048]

/** Creates a file that is then copied for each user. */
export function createBareFile(file: string): void {
  const db = new SQLite(file)
  db.pragma('journal_mode = WAL')
  db.exec(schema)
  db.transaction(() => {
    const store = new BareStore(db, 'in-loop')
    for (let i = 0; i < eventCount; i++)
      store.insert(createStoredEvent(store.createId(), 'bare', 1.6e9 + i), 1.6e9 + i, i % streamCount)
    for (let from = 0; from < pointCount; from += pieceSize)
      store.series.insert(0, createPoints(Math.min(pieceSize, pointCount - from), from))
  })()
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

export class BareStore {
  readonly series: BareSeries
  readonly #latest: Statement
  readonly #inStream: Statement
  readonly #one: Statement
  readonly #insert: Statement
  readonly #link: Statement
  readonly #begin: Statement
  readonly #commit: Statement
  #count = 0
  #waiting: { readonly work: () => string; readonly done: (text: string) => void }[] = []
  #log = -1
  #isSyncing = false
  #committed: (() => void)[] = []

  /** Opens or creates the file. */
  static open(file: string, durability: Durability): BareStore {
    const db = new SQLite(file)
    db.pragma('journal_mode = WAL')
    db.pragma(`synchronous = ${durability === 'in-loop' ? 'FULL' : 'NORMAL'}`)
    db.pragma('cache_size = -2048')
    return new BareStore(db, durability)
  }

  constructor(
    private readonly db: Database,
    private readonly durability: Durability
  ) {
    this.series = new BareSeries(db)
    this.#latest = db.prepare('SELECT body FROM item WHERE hidden = 0 ORDER BY time DESC LIMIT +?').pluck()
    this.#inStream = db
      .prepare(
        `SELECT body FROM item_stream AS link JOIN item ON number = item
        WHERE stream = ? AND hidden = 0 ORDER BY link.time DESC LIMIT 20`
      )
      .pluck()
    this.#one = db.prepare('SELECT body FROM item WHERE number = ?').pluck()
    this.#insert = db.prepare(
      'INSERT INTO item (id, time, until, kind, hidden, changed, body) VALUES (?, ?, NULL, ?, 0, ?, ?)'
    )
    this.#link = db.prepare('INSERT INTO item_stream VALUES (?, ?, ?)')
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** Returns a unique id, cheaply. */
  createId(): string {
    return `c${Date.now().toString(36)}${(this.#count++).toString(36).padStart(16, '0')}`
  }

  /** Returns the newest events as JSON text. */
  listLatest(limit: number): string {
    return toListJson(this.#latest.all(limit))
  }

  /** Returns the newest events of a stream as JSON text. */
  listInStream(stream: number): string {
    return toListJson(this.#inStream.all(stream))
  }

  /** Returns the event with a number as JSON text. */
  getEvent(number: number): string {
    return `{"event":${this.#one.get(number) as string},"meta":{"apiVersion":"0","serverTime":0}}`
  }

  /** Inserts a posted event after adding the fields that a service sets. Returns its JSON text. */
  create(posted: object): string {
    const now = Date.now() / 1000
    const by = 'cbenchaccess0000000000001'
    const event = { id: this.createId(), time: now, tags: [], ...posted }
    return this.insert({ ...event, created: now, createdBy: by, modified: now, modifiedBy: by }, now)
  }

  /** Inserts a complete event. Returns its JSON text. */
  insert(event: object, time: number, stream = 1): string {
    const body = JSON.stringify(event)
    const { id, type = '' } = event as { id: string; type?: string }
    this.#link.run(stream, time, this.#insert.run(id, time, type, time, body).lastInsertRowid)
    return body
  }

  /**
   * Runs `work` in one commit with other writes of the same turn of the event loop. Resolves with its text
   * once the commit is synced.
   */
  write(work: () => string): Promise<string> {
    return new Promise(done => {
      if (this.#waiting.push({ work, done }) === 1) setImmediate(() => this.#flush())
    })
  }

  #flush(): void {
    const group = this.#waiting
    this.#waiting = []
    this.#begin.run()
    const texts = group.map(({ work }) => work())
    this.#commit.run()
    const resolveAll = (): void => group.forEach(({ done }, index) => done(texts[index]!))
    if (this.durability === 'in-loop') return resolveAll()
    this.#committed.push(resolveAll)
    if (!this.#isSyncing) this.#sync()
  }

  /** Runs one sync at a time. Commits made meanwhile share the next sync. */
  #sync(): void {
    if (this.#log < 0) this.#log = openSync(`${this.db.name}-wal`, 'r+')
    const served = this.#committed
    this.#committed = []
    this.#isSyncing = true
    fdatasync(this.#log, error => {
      if (error) throw error
      this.#isSyncing = false
      for (const resolveAll of served) resolveAll()
      if (this.#committed.length > 0) this.#sync()
    })
  }
}

/** A series stored as one row of text per request. */
class BareSeries {
  readonly #insert: Statement
  readonly #all: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO piece (series, first, last, count, points) VALUES (?, ?, ?, ?, ?)')
    this.#all = db.prepare('SELECT CAST(points AS BLOB) FROM piece WHERE series = 0 ORDER BY first').pluck()
  }

  /**
   * Checks rows of two numbers and stores them. Returns their text. Throws an error if a row is not valid.
   */
  insert(series: number, rows: readonly (readonly unknown[])[]): string {
    for (const row of rows)
      if (row.length !== 2 || !((row[0] as number) >= 0) || typeof row[1] !== 'number')
        throw new Error('Bad row')
    const points = JSON.stringify(rows).slice(1, -1)
    this.#insert.run(series, rows[0]?.[0], rows.at(-1)?.[0], rows.length, points)
    return points
  }

  /** Sends all chunks of series 0, unparsed. */
  sendAll(response: ServerResponse): void {
    const pieces = this.#all.all() as Buffer[]
    const opening = '{"format":"flatJSON","fields":["deltaTime","value"],"points":['
    const length = pieces.reduce((sum, { length: own }) => sum + own + 1, opening.length + 1)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
    let before = opening
    for (const bytes of pieces) {
      response.write(before)
      response.write(bytes)
      before = ','
    }
    response.end(']}')
  }
}

function toListJson(bodies: readonly unknown[]): string {
  return `{"events":[${bodies.join(',')}],"meta":{"apiVersion":"0","serverTime":0}}`
}
