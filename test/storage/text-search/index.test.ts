/** The text index: leftovers of deleted words, and files without an index. */
import { join } from 'node:path'
import SQLite, { type Database } from 'better-sqlite3'
import t, { type Test } from 'tap'
import type { Event } from '../../../schemas/event.js'
import { userMigrations, userSteps } from '../../../storage/migrations/user/index.js'
import { migrate } from '../../../storage/migrations/migrate.js'
import { EventFile, eventFile } from '../../support/event-file.js'
import { Random } from '../../support/random.js'
import { runSteps } from '../../../storage/steps.js'

t.setTimeout(900_000)

const letters = 'abcdefghij'
const rareWord = (n: number): string => `qz${String(n).replace(/./g, digit => letters[Number(digit)]!)}zq`

function indexAll({ db, events: { texts } }: EventFile): void {
  while (texts.hasPending()) db.transaction(() => texts.indexPending()).immediate()
}

/** Returns a text, or a prefix of one that may end within a character, as a string of bytes. */
function bytes(text: string | Buffer): string {
  return Buffer.from(text as string).toString('latin1')
}

/** Returns the keys of index pages that are not a prefix of an indexed word. */
function strayKeys({ db }: EventFile): string[] {
  const keys = db
    .prepare('SELECT substr(term, 2) FROM event_word_idx WHERE length(term) > 1')
    .pluck()
    .all() as Buffer[]
  const terms = db.prepare('SELECT DISTINCT term FROM event_vocabulary').pluck().all() as string[]
  const words = terms.map(bytes)
  return keys.map(bytes).filter(key => !words.some(word => word.startsWith(key)))
}

t.test('deleted words do not remain as page keys', t => {
  const seed = Number(process.env['COFFER_TEST_SEED'] ?? 5)
  t.comment(`COFFER_TEST_SEED=${seed}`)
  const random = new Random(seed)
  const file = eventFile(t)
  file.db.pragma('synchronous = OFF')
  const count = 4000
  const live = new Map<number, Event>()
  for (let n = 0; n < count; n++) {
    file.db.exec('BEGIN IMMEDIATE')
    const content = `common ${rareWord(n)} w${n % 500} v${random.below(5000)}`
    live.set(n, file.insert({ time: n, content, modified: n }))
    if (n > 50 && random.chance(0.6)) {
      const key = random.pick([...live.keys()].slice(0, 200))
      const event = live.get(key)!
      live.delete(key)
      if (random.chance(0.5)) runSteps(file.events.remove(event.id, n))
      else file.events.update({ ...event, content: 'common', modified: n + 0.5 })
    }
    file.db.exec('COMMIT')
    if (n % 20 === 0) indexAll(file)
  }
  indexAll(file)
  t.same(strayKeys(file), [])
  const pages = Buffer.concat(file.db.prepare('SELECT block FROM event_word_data').pluck().all() as Buffer[])
  const left = Array.from({ length: count }, (_, n) => n).filter(
    n => !live.has(n) && pages.includes(rareWord(n))
  )
  t.same(left, [], 'nor in pages')
  t.equal(file.ids({ text: { words: [rareWord([...live.keys()].at(-1)!)], mayUseIndex: true } }).length, 1)
  t.doesNotThrow(() => file.db.exec("INSERT INTO event_word (event_word) VALUES ('integrity-check')"))
  t.end()
})

/** Selects the words of each event, without places. */
const pairsSql = `SELECT id, term FROM event_vocabulary JOIN event ON number = doc WHERE term NOT LIKE '·%' ORDER BY term`

/** Creates a file as it was before a migration, with the same events. */
function formerFile(t: Test, { db: now }: EventFile, before: string): Database {
  const db = new SQLite(join(t.testdir(), 'former.sqlite'))
  t.teardown(() => db.close())
  const steps = Object.entries(userSteps)
  const migrations = steps
    .slice(
      0,
      steps.findIndex(([name]) => name === before)
    )
    .map(([, step]) => step)
  migrate(db, migrations)
  for (const table of ['event', 'event_type']) {
    const rows = now.prepare(`SELECT * FROM ${table}`).raw().all() as unknown[][]
    const columns = rows[0]!.map(() => '?').join()
    for (const row of rows) db.prepare(`INSERT INTO ${table} VALUES (${columns})`).run(...row)
  }
  return db
}

t.test('a file without an index is indexed by its migration', t => {
  const now = eventFile(t)
  const events = [
    now.insert({ content: 'a headache' }),
    now.insert({ type: 'mass/kg', content: 5, description: 'after the Café' }),
    now.insert({ type: 'mass/kg', content: 6 }),
    now.insert({ type: 'test/any', content: { description: 'not this', attachments: [] } })
  ]
  const db = formerFile(t, now, 'textSearch')
  // An unreadable event must not prevent its account from being opened.
  db.prepare("UPDATE event SET body = '{' || body WHERE id = ?").run(events[2]!.id)
  db.prepare('UPDATE event SET type = 1 WHERE id = ?').run(events[2]!.id)
  migrate(db, userMigrations)
  indexAll(new EventFile(db))
  t.same(db.prepare(pairsSql).raw().all(), [
    [events[0]!.id, 'a'],
    [events[1]!.id, 'after'],
    [events[1]!.id, 'cafe'],
    [events[0]!.id, 'headache'],
    [events[1]!.id, 'the']
  ])
  t.end()
})

t.test('an index without places is rebuilt', t => {
  const now = eventFile(t)
  const { id } = now.insert({ content: 'a note' })
  const db = formerFile(t, now, 'textPlaces')
  db.exec(`INSERT INTO event_text (start, event, words) VALUES (1, 1, ' a note');
    INSERT INTO event_word (rowid, words) VALUES (1, ' a note'); UPDATE event_text_end SET number = 1`)
  migrate(db, userMigrations)
  const file = new EventFile(db)
  const find = (byIndex: boolean): string[] => file.ids({ text: { words: ['note'], mayUseIndex: byIndex } })
  t.same([find(true), find(false)], [[id], [id]], 'all is found before')
  indexAll(file)
  t.same(db.prepare(pairsSql).raw().all(), [[id, 'a'], [id, 'note']]) // oxfmt-ignore
  t.same(db.prepare('SELECT place IS NULL FROM event_text').pluck().all(), [0])
  t.same([find(true), find(false)], [[id], [id]], 'and thereafter')
  t.end()
})
