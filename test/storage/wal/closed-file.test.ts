/** Files that are closed, or open in another process: their positions and contents. */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { Layout } from '../../../storage/files/layout.js'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { schemaVersions } from '../../../storage/sqlite/copies.js'
import { createFile } from '../../../storage/sqlite/open.js'
import { adoptUserFile, migrateUserFile } from '../../../storage/user/adoption.js'
import { mergeLog, removePosition, setPosition, readFilePosition } from '../../../storage/wal/closed-file.js'
import { addPosition } from '../../../storage/wal/position.js'

const position = { lsn: 7, epoch: 3 }

/** Creates an account's file with a position, in a data directory. */
function placed(root: string, version = schemaVersions.user): { layout: Layout; id: string; file: string } {
  const layout = new Layout(root)
  const id = `c${'a'.repeat(24)}`
  const file = layout.userFile(id)
  mkdirSync(dirname(file), { recursive: true })
  createFile(file, userMigrations.slice(0, version))
  const db = new SQLite(file)
  addPosition(db, position)
  db.close()
  return { layout, id, file }
}

t.test('the position of a file', async t => {
  t.test('is read from its log too, which is kept', async t => {
    const { file, layout } = placed(t.testdir())
    const db = new SQLite(file)
    db.exec('UPDATE log_position SET lsn = 8')
    t.same(readFilePosition(file), { lsn: 8, epoch: 3 })
    const copy = join(layout.root, 'copy')
    for (const kind of ['', '-wal']) copyFileSync(file + kind, copy + kind)
    db.close()
    const log = readFileSync(`${copy}-wal`)
    t.same(readFilePosition(copy), { lsn: 8, epoch: 3 })
    t.same(readFileSync(`${copy}-wal`), log)
    mergeLog(copy)
    t.notOk(existsSync(`${copy}-wal`))
    t.same(readFilePosition(copy), { lsn: 8, epoch: 3 })
  })

  t.test('is undefined for a missing file or any other one', async t => {
    const folder = t.testdir({ empty: '', other: 'x'.repeat(10_000) })
    for (const name of ['missing', 'empty', 'other'])
      t.equal(readFilePosition(join(folder, name)), undefined, name)
  })

  t.test('is removed by adopting the file, by migrating it, and explicitly', async t => {
    const adopted = placed(t.testdir())
    adoptUserFile(adopted.layout, adopted.id)
    t.equal(readFilePosition(adopted.file), undefined)

    const migrated = placed(t.testdir({ other: {} }), schemaVersions.user - 1)
    migrateUserFile(migrated.layout, migrated.id)
    t.equal(readFilePosition(migrated.file), undefined)

    const current = placed(t.testdir({ third: {} }))
    migrateUserFile(current.layout, current.id)
    t.same(readFilePosition(current.file), position, 'what is current already is not changed')
    removePosition(current.file)
    t.equal(readFilePosition(current.file), undefined)
  })
})

t.test('setting a position merges the log of a file', async t => {
  const { file, layout } = placed(t.testdir())
  const db = new SQLite(file)
  db.exec('CREATE TABLE more (text)')
  const copy = join(layout.root, 'copy')
  for (const kind of ['', '-wal']) copyFileSync(file + kind, copy + kind)
  db.close()
  setPosition(copy, { lsn: 12, epoch: 4 })
  t.notOk(existsSync(`${copy}-wal`))
  t.same(readFilePosition(copy), { lsn: 12, epoch: 4 })
  const found = new SQLite(copy)
  t.equal(found.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").pluck().get(), 1)
  found.close()
})
