/** Which files open, which are refused, and how schemas are migrated. */
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
  t.test('is migrated when it is opened', async t => {
    const file = temporary(t)
    openFile(file, { migrations: [one], create: true, synchronous: 'FULL' }).close()
    const db = openFile(file, { migrations: [one, two], synchronous: 'FULL' })
    t.same(db.prepare('SELECT name FROM sqlite_schema ORDER BY name').pluck().all(), ['a', 'b'])
    t.equal(db.pragma('user_version', { simple: true }), 2)
    db.close()
  })

  t.test('keeps its schema when a migration fails', async t => {
    const file = temporary(t)
    openFile(file, { migrations: [one], create: true, synchronous: 'FULL' }).close()
    const broken: Migration = 'CREATE TABLE c (z); CREATE TABLE a (again)'
    t.throws(() => openFile(file, { migrations: [one, broken], synchronous: 'FULL' }))
    const db = openFile(file, { migrations: [one], synchronous: 'FULL' })
    t.same(db.prepare('SELECT name FROM sqlite_schema').pluck().all(), ['a'])
    db.close()
  })

  t.test('of a newer version is refused, naming it', async t => {
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
    t.test(`${name} is reported as damaged, and not changed`, async t => {
      const file = temporary(t)
      openFile(file, { migrations: [one], create: true, synchronous: 'FULL' }).close()
      damage(file)
      t.throws(() => openFile(file, { migrations: [one], synchronous: 'FULL' }), { name: StoreDamaged.name })
      t.throws(() => openFile(file, { migrations: [one], synchronous: 'FULL' }), { name: StoreDamaged.name })
    })

  t.test('always syncs its checkpoints', async t => {
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
  t.test('keeps savepoints in memory, not in temporary files', { skip }, async t => {
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
      // The descriptor of the listing itself.
      return []
    }
  })
}

/** Returns whether SQLite names its temporary files so. */
function isTemporary(file: string): boolean {
  return file.includes('etilqs')
}
