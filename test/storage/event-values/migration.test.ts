/** Migrates files of earlier versions: their stream index becomes what it would be in a new file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import t, { type Test } from 'tap'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { openFile } from '../../../storage/sqlite/open.js'
import { eventFile, type EventFile } from '../../support/event-file.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'
import { Random } from '../../support/random.js'

/** The last version before the index held types and numbers. */
const before = 14
const options = { create: true, synchronous: 'NORMAL' } as const

t.test('a file of an earlier version', t => {
  const random = new Random(7)
  const now = eventFile(t)
  for (const id of ['a', 'b', 'c']) now.stream(id)
  const contents = [
    70,
    0.1 + 0.2,
    1e21,
    -1e-9,
    123_456_789.123_456_79,
    'text',
    null,
    true,
    [1, 2],
    { systolic: 120.1, of: { rate: 61, arm: 'left' }, 'odd.key': 1, é: 2 },
    { none: 'here' },
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, index]))
  ]
  for (let count = 0; count < 400; count++)
    now.insert({
      streamIds: [...new Set(random.some(['a', 'b', 'c'], 3))],
      time: random.below(50) + random.next(),
      ...(random.chance(0.2) && { duration: random.below(1000) }),
      ...(random.chance(0.2) && { trashed: true }),
      type: random.pick(['note/txt', 'mass/kg', 'thing/any']),
      content: random.pick([...contents, random.next() * 10 ** random.below(20)])
    })
  // As after damage: such a file must still open.
  now.db.exec("UPDATE event SET body = '{' WHERE number = 400")
  now.db.exec('UPDATE event_stream SET value = NULL, fields = NULL WHERE event = 400')

  const migrated = opened(t, earlier(t, now))
  const links = 'SELECT * FROM event_stream ORDER BY stream, trashed, time, event'
  const rows = migrated.prepare(links).all() as { home: unknown; value: unknown; fields: unknown }[]
  t.same(rows, now.db.prepare(links).all())
  for (const column of ['home', 'value', 'fields'] as const)
    t.ok(rows.some(row => row[column] !== null) && rows.some(row => row[column] === null), column)
  t.ok(
    rows.some(({ fields }) => fields === ''),
    'some hold more numbers than fit'
  )
  t.same(migrated.pragma('integrity_check', { simple: true }), 'ok')
  t.end()
})

t.test('an event of several megabytes in hundreds of streams is read once', async t => {
  const now = eventFile(t)
  const streamIds = Array.from({ length: 500 }, (_, index) => `s${index}`)
  for (const id of streamIds) now.stream(id)
  now.insert({ streamIds, content: { of: 1, text: Array.from({ length: 300_000 }, (_, index) => index) } })
  await assertTakesLessThan(t, 250, () => {
    const file = earlier(t, now)
    const elapsed = stopwatch()
    const migrated = opened(t, file)
    const ms = elapsed()
    t.same(migrated.prepare('SELECT DISTINCT fields FROM event_stream').pluck().all(), ['{"of":1}'])
    return ms
  })
})

/** Creates a file of that earlier version with the events of another file, and returns its name. */
function earlier(t: Test, now: EventFile): string {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'user.sqlite')
  const older = openFile(file, { ...options, migrations: userMigrations.slice(0, before) })
  older.exec(`ATTACH '${now.db.name}' AS now;
    INSERT INTO event_type SELECT * FROM now.event_type;
    INSERT INTO event SELECT * FROM now.event;
    INSERT INTO event_stream SELECT stream, trashed, time, event, span FROM now.event_stream;
    DETACH now`)
  older.close()
  return file
}

function opened(t: Test, file: string): Database {
  const db = openFile(file, { ...options, migrations: userMigrations })
  t.teardown(() => db.close())
  return db
}
