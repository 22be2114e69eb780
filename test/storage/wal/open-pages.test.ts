/** The pages of open files as of one commit, whatever else is committed and checkpointed meanwhile. */
import { once } from 'node:events'
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import SQLite, { type Database } from 'better-sqlite3'
import t from 'tap'
import { OpenPages } from '../../../storage/wal/open-pages.js'
import { addPosition } from '../../../storage/wal/position.js'

/** Creates a file with a position, and rows on many pages. */
function made(file: string, rows: number): Database {
  const db = new SQLite(file)
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE part (id INTEGER PRIMARY KEY, text)'
  )
  addPosition(db, { lsn: 1, epoch: 1 })
  const add = db.prepare('INSERT INTO part (text) VALUES (?)')
  for (let row = 0; row < rows; row++) add.run('some text '.repeat(100))
  return db
}

async function read(file: string): Promise<{ bytes: Buffer; position: OpenPages['position'] }> {
  const pages = new OpenPages(file)
  try {
    const pieces: Buffer[] = []
    for await (const piece of pages.readChunks()) pieces.push(Buffer.from(piece))
    const bytes = Buffer.concat(pieces)
    t.equal(bytes.length, pages.bytes)
    return { bytes, position: pages.position }
  } finally {
    pages.close()
  }
}

t.test('the pages of a file', async t => {
  const file = join(t.testdir(), 'user.sqlite')
  const db = made(file, 2000)

  await t.test('equal what SQLite reads byte for byte, wherever they are stored', async t => {
    t.same((await read(file)).bytes, db.serialize(), 'all in the log')
    db.pragma('wal_checkpoint(PASSIVE)')
    t.same((await read(file)).bytes, db.serialize(), 'in both')
    db.exec('UPDATE part SET text = 1 WHERE id % 7 = 0; UPDATE log_position SET lsn = 2')
    const { bytes, position } = await read(file)
    t.same(bytes, db.serialize(), 'the log is begun anew')
    t.same(position, { lsn: 2, epoch: 1 })
    db.exec("DELETE FROM part WHERE id > 100; VACUUM; INSERT INTO part (text) VALUES ('last')")
    t.same((await read(file)).bytes, db.serialize(), 'the main file is longer')
    const log = readFileSync(`${file}-wal`)
    t.ok(log.length > 0)
    await read(file)
    t.same(readFileSync(`${file}-wal`), log, 'the log stays')
  })

  await t.test('are as of the last commit before they were opened', async t => {
    const before = db.serialize()
    const pages = new OpenPages(file)
    db.exec("INSERT INTO part (text) VALUES ('later')")
    db.pragma('wal_checkpoint(PASSIVE)')
    const pieces: Buffer[] = []
    for await (const piece of pages.readChunks()) pieces.push(piece)
    pages.close()
    t.same(Buffer.concat(pieces), before)
  })

  await t.test('are those of the last commit while another one begins the log again', async t => {
    db.pragma('wal_checkpoint(PASSIVE)')
    const before = db.serialize()
    const writer = new SQLite(file)
    // The transaction writes to the log before it is committed.
    writer.pragma('cache_size = 1')
    writer.exec("BEGIN; UPDATE part SET text = text || ' more'; UPDATE log_position SET lsn = lsn + 1")
    const { bytes, position } = await read(file)
    t.same(bytes, before)
    t.same(position, { lsn: 2, epoch: 1 })
    writer.exec('COMMIT')
    writer.close()
    t.same((await read(file)).bytes, db.serialize())
  })

  await t.test('are readable when the file is closed, and leave no log behind', async t => {
    const expected = db.serialize()
    db.close()
    t.same((await read(file)).bytes, expected)
    t.notOk(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size)
  })

  await t.test('are refused for a truncated file', async t => {
    const short = join(t.testdir(), 'short.sqlite')
    writeFileSync(short, readFileSync(file).subarray(0, 8192))
    await t.rejects(read(short))
    rmSync(short)
    await t.rejects(read(short))
  })
})

/** Commits, checkpoints and restarts the log until it is stopped. Each commit writes one number in many rows. */
const writing = `
  const { parentPort, workerData } = require('node:worker_threads')
  const SQLite = require('better-sqlite3')
  const db = new SQLite(workerData)
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('synchronous = OFF')
  const rows = db.prepare('SELECT count(*) FROM part').pluck().get()
  const change = db.prepare('UPDATE part SET text = ? WHERE id = ?')
  const move = db.prepare('UPDATE log_position SET lsn = ?')
  let isOver = false
  parentPort.once('message', () => (isOver = true))
  let lsn = 1
  const commit = db.transaction(() => {
    lsn++
    for (let place = 0; place < 8; place++) change.run(lsn + ' ' + 'x'.repeat(900), 1 + Math.floor((place * rows) / 8))
    move.run(lsn)
  })
  function turn() {
    if (isOver) return db.close()
    for (let count = 0; count < 5; count++) commit.immediate()
    if (lsn % 4 === 0) db.pragma('wal_checkpoint(PASSIVE)')
    setImmediate(turn)
  }
  turn()
`

t.test('each reading is of one commit while another thread writes continuously', async t => {
  const folder = t.testdir()
  const file = join(folder, 'user.sqlite')
  const rows = 4000
  const db = made(file, rows)
  const writer = new Worker(writing, { eval: true, workerData: file })
  const states = new Set<number>()
  for (let round = 0; round < 25 || states.size < 3; round++) {
    const { bytes, position } = await read(file)
    const copy = join(folder, `copy-${round}`)
    appendFileSync(copy, bytes)
    const found = new SQLite(copy)
    t.same(found.pragma('integrity_check'), [{ integrity_check: 'ok' }])
    t.equal(found.prepare('SELECT lsn FROM log_position').pluck().get(), position?.lsn)
    if (position!.lsn > 1)
      for (let place = 0; place < 8; place++) {
        const text = found
          .prepare('SELECT text FROM part WHERE id = ?')
          .pluck()
          .get(1 + Math.floor((place * rows) / 8)) as string
        t.equal(Number(text.split(' ')[0]), position!.lsn)
      }
    found.close()
    rmSync(copy)
    states.add(position!.lsn)
  }
  t.ok(states.size > 1, `${states.size} states`)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
  writer.postMessage('stop')
  await once(writer, 'exit')
  db.close()
})
