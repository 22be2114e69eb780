/** `scripts/dev/log-sql.cjs` prints the statements that a program executes. */
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { packageDirectory } from '../../../core/version.js'

const program = `
const { default: SQLite } = await import('better-sqlite3')
const db = new SQLite(':memory:')
db.exec('CREATE TABLE item (name TEXT, content BLOB)')
const insert = db.prepare('INSERT INTO item (name, content) VALUES (?, ?)')
db.transaction(() => insert.run('a', Buffer.from('bytes')))()
console.log(db.prepare('SELECT name FROM item').all())
`

t.test('log-sql', async t => {
  t.test('prints statements with their values, without changing results', async t => {
    const { stderr, stdout } = spawnSync(
      process.execPath,
      ['--require', './scripts/dev/log-sql.cjs', '--input-type=module', '--eval', program],
      { cwd: packageDirectory, encoding: 'utf8' }
    )
    t.equal(stdout, "[ { name: 'a' } ]\n")
    t.same(stderr.trim().split('\n'), [
      'CREATE TABLE item (name TEXT, content BLOB)',
      'BEGIN',
      'INSERT INTO item (name, content) VALUES (?, ?) -- ["a","5 bytes"]',
      'COMMIT',
      'SELECT name FROM item'
    ])
  })
})
