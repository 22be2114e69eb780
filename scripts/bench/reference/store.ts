/** The least that a durable event store has to do: what the speed of Coffer's is held against. */
import { fdatasync, openSync } from 'node:fs'
import SQLite, { type Database, type Statement } from 'better-sqlite3'
import { keptEvent } from '../sample.js'
import { fillSeries, ReferenceSeries } from './series-store.js'

/** Sync in the loop at each commit, or of the log on another thread after it. */
export type Durability = 'in-loop' | 'off-thread'

interface Waiting {
  readonly work: () => string
  readonly done: (text: string) => void
}

const schema = `
CREATE TABLE item (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time REAL NOT NULL, until REAL, kind TEXT NOT NULL,
  hidden INTEGER NOT NULL, changed REAL NOT NULL, body TEXT NOT NULL
);
CREATE INDEX item_time ON item (time);
CREATE INDEX item_changed ON item (changed);
CREATE INDEX item_until ON item (until) WHERE until IS NOT NULL;
CREATE TABLE item_stream (stream INTEGER, time REAL, item INTEGER, PRIMARY KEY (stream, time, item)) WITHOUT ROWID;
`

/** Writes a file with some events for others to be copied from. */
export function makeReferenceFile(file: string, count: number): void {
  const db = new SQLite(file)
  db.pragma('journal_mode = WAL')
  db.exec(schema)
  fillSeries(db)
  db.transaction(() => {
    const store = new ReferenceStore(db, 'in-loop')
    for (let i = 0; i < count; i++) store.insert(keptEvent(store.newId(), 'reference', 1.6e9 + i), 1.6e9 + i)
  })()
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

export class ReferenceStore {
  readonly series: ReferenceSeries
  readonly #latest: Statement
  readonly #insert: Statement
  readonly #link: Statement
  readonly #begin: Statement
  readonly #commit: Statement
  #count = 0
  #waiting: Waiting[] = []
  #log = -1
  #isSyncing = false
  #committed: (() => void)[] = []

  static open(file: string, durability: Durability): ReferenceStore {
    const db = new SQLite(file)
    db.pragma('journal_mode = WAL')
    db.pragma(`synchronous = ${durability === 'in-loop' ? 'FULL' : 'NORMAL'}`)
    db.pragma('cache_size = -2048')
    return new ReferenceStore(db, durability)
  }

  constructor(
    private readonly db: Database,
    private readonly durability: Durability
  ) {
    this.series = new ReferenceSeries(db)
    this.#latest = db.prepare('SELECT body FROM item WHERE hidden = 0 ORDER BY time DESC LIMIT +?').pluck()
    this.#insert = db.prepare(
      'INSERT INTO item (id, time, until, kind, hidden, changed, body) VALUES (?, ?, NULL, ?, 0, ?, ?)'
    )
    this.#link = db.prepare('INSERT INTO item_stream VALUES (1, ?, ?)')
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** An id as cheap as can be. */
  newId(): string {
    return `c${Date.now().toString(36)}${(this.#count++).toString(36).padStart(16, '0')}`
  }

  /** The newest events as JSON text. */
  latest(limit: number): string {
    return `{"events":[${this.#latest.all(limit).join(',')}],"meta":{"apiVersion":"0","serverTime":0}}`
  }

  /** Inserts what was posted, with what a service adds to it; answers its text. */
  create(posted: object): string {
    const now = Date.now() / 1000
    const by = 'cbenchaccess0000000000001'
    const event = { id: this.newId(), time: now, tags: [], ...posted }
    return this.insert({ ...event, created: now, createdBy: by, modified: now, modifiedBy: by }, now)
  }

  insert(event: object, time: number): string {
    const body = JSON.stringify(event)
    const { lastInsertRowid } = this.#insert.run(
      'id' in event ? event.id : '',
      time,
      'type' in event ? event.type : '',
      time,
      body
    )
    this.#link.run(time, lastInsertRowid)
    return body
  }

  /** Runs `work` with whatever else is written in this turn of the loop; `done` is called when it is on disk. */
  write(work: () => string, done: (text: string) => void): void {
    if (this.#waiting.push({ work, done }) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const group = this.#waiting
    this.#waiting = []
    this.#begin.run()
    const texts = group.map(({ work }) => work())
    this.#commit.run()
    const tell = (): void => group.forEach(({ done }, index) => done(texts[index] ?? ''))
    if (this.durability === 'in-loop') return tell()
    this.#committed.push(tell)
    if (!this.#isSyncing) this.#sync()
  }

  /** One sync at a time: what is committed meanwhile shares the next. */
  #sync(): void {
    if (this.#log < 0) this.#log = openSync(`${this.db.name}-wal`, 'r+')
    const served = this.#committed
    this.#committed = []
    this.#isSyncing = true
    fdatasync(this.#log, error => {
      if (error) throw error
      this.#isSyncing = false
      for (const tell of served) tell()
      if (this.#committed.length > 0) this.#sync()
    })
  }
}
