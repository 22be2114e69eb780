/** What may be opened, what is refused, and how schemas move on. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { StoreDamaged, StoreTooNew } from '../../../storage/errors.js'
import type { Migration } from '../../../storage/migrations/migrate.js'
import { openFile } from '../../../storage/sqlite/open.js'

const one: Migration = 'CREATE TABLE a (x)'
const two: Migration = db => db.exec('CREATE TABLE b (y)')

function temporary(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-open-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'file.sqlite')
}

t.test('a file', async t => {
  t.test('is brought up to date when it is opened', async t => {
    const file = temporary(t)
    openFile(file, { migrations: [one], create: true, synchronous: 'FULL' }).close()
    const db = openFile(file, { migrations: [one, two], synchronous: 'FULL' })
    t.same(db.prepare('SELECT name FROM sqlite_schema ORDER BY name').pluck().all(), ['a', 'b'])
    t.equal(db.pragma('user_version', { simple: true }), 2)
    db.close()
  })

  t.test('keeps its old schema when a step fails', async t => {
    const file = temporary(t)
    openFile(file, { migrations: [one], create: true, synchronous: 'FULL' }).close()
    const broken: Migration = 'CREATE TABLE c (z); CREATE TABLE a (again)'
    t.throws(() => openFile(file, { migrations: [one, broken], synchronous: 'FULL' }))
    const db = openFile(file, { migrations: [one], synchronous: 'FULL' })
    t.same(db.prepare('SELECT name FROM sqlite_schema').pluck().all(), ['a'])
    db.close()
  })

  t.test('newer than the code is refused by name', async t => {
    const file = temporary(t)
    openFile(file, { migrations: [one, two], create: true, synchronous: 'FULL' }).close()
    t.throws(() => openFile(file, { migrations: [one], synchronous: 'FULL' }), new StoreTooNew(file, 2, 1))
  })

  const damages: Record<string, (file: string) => void> = {
    missing: file => rmSync(file),
    empty: file => truncateSync(file),
    garbled: file => writeFileSync(file, 'not a database at all, but long enough to look at'.repeat(100))
  }
  for (const [name, damage] of Object.entries(damages))
    t.test(`${name} is damage, and is left as it is`, async t => {
      const file = temporary(t)
      openFile(file, { migrations: [one], create: true, synchronous: 'FULL' }).close()
      damage(file)
      t.throws(() => openFile(file, { migrations: [one], synchronous: 'FULL' }), { name: StoreDamaged.name })
      t.throws(() => openFile(file, { migrations: [one], synchronous: 'FULL' }), { name: StoreDamaged.name })
    })

  t.test('never runs with less than a synced checkpoint', async t => {
    const file = temporary(t)
    for (const synchronous of ['FULL', 'NORMAL'] as const) {
      const db = openFile(file, { migrations: [one], create: true, synchronous })
      t.equal(db.pragma('synchronous', { simple: true }), synchronous === 'FULL' ? 2 : 1)
      t.equal(db.pragma('journal_mode', { simple: true }), 'wal')
      t.equal(db.pragma('wal_autocheckpoint', { simple: true }), 1000)
      db.close()
    }
  })

  const descriptors = '/proc/self/fd'
  const skip = existsSync(descriptors) ? false : 'the system does not tell which files are open'
  t.test('makes no other file for what savepoints would restore', { skip }, async t => {
    const db = openFile(temporary(t), { migrations: [one], create: true, synchronous: 'NORMAL' })
    const add = db.prepare('INSERT INTO a VALUES (zeroblob(500))')
    for (let i = 0; i < 1000; i++) add.run()
    db.exec('BEGIN; SAVEPOINT part; UPDATE a SET x = zeroblob(501)')
    t.same(openFiles(descriptors).filter(isTemporary), [])
    db.exec('ROLLBACK TO part')
    t.equal(db.prepare('SELECT max(length(x)) FROM a').pluck().get(), 500)
    db.exec('COMMIT')
    db.close()
  })
})

function openFiles(descriptors: string): string[] {
  return readdirSync(descriptors).flatMap(name => {
    try {
      return [readlinkSync(join(descriptors, name))]
    } catch {
      // That of the listing itself.
      return []
    }
  })
}

/** As SQLite names the files that it makes for itself. */
function isTemporary(file: string): boolean {
  return file.includes('etilqs')
}
