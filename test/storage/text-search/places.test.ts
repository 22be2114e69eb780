/** The text index with places: the number of lookups by a search and by a write. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { openFile } from '../../../storage/sqlite/open.js'
import { EventFile } from '../../support/event-file.js'

t.test('a search for several words in many places stops before repeating its lookups for each word', t => {
  const path = join(t.testdir(), 'user.sqlite')
  openFile(path, { migrations: userMigrations, create: true, synchronous: 'NORMAL' }).close()
  let asks = 0
  const db = new SQLite(path, { verbose: sql => (asks += String(sql).includes('event_vocabulary') ? 1 : 0) })
  t.teardown(() => db.close())
  const file = new EventFile(db)
  const numbers = Array.from({ length: 200 }, (_, n) => file.stream(`s${n}`))
  const notes = 10_400
  const few = 1100
  db.exec('BEGIN')
  for (let n = 0; n < notes; n++)
    file.insert({
      streamIds: [`s${n % numbers.length}`],
      time: n,
      content: n < few ? 'some others often there' : `note rare${n}`
    })
  db.exec('COMMIT')
  while (file.events.texts.hasPending()) db.transaction(() => file.events.texts.indexPending()).immediate()

  const streams = [{ any: new Set(numbers), all: [], not: new Set<number>() }]
  const find = (...words: string[]): { found: number; asks: number } => {
    asks = 0
    const found = file.ids({ streams, text: { words, mayUseIndex: false } }).length
    return { found, asks }
  }
  t.same(find('rare5000'), { found: 1, asks: 200 })
  const { asks: forFrequent, found } = find('note', 'rare5000')
  t.equal(found, 1)
  t.ok(forFrequent > 200 && forFrequent <= 360, `${forFrequent} for a frequent word and a rare one`)
  // The search stops looking up each word by place once it has matched too many events.
  const many = find('others', 'often', 'there', 'some')
  t.equal(many.found, few)
  t.ok(many.asks > 150 && many.asks <= 360, `${many.asks} for four words`)
  t.end()
})

t.test('a write makes the same lookups for a word in an unreadable stream as for any other', t => {
  const path = join(t.testdir(), 'user.sqlite')
  openFile(path, { migrations: userMigrations, create: true, synchronous: 'NORMAL' }).close()
  const run: string[] = []
  const db = new SQLite(path, { verbose: sql => run.push(String(sql)) })
  t.teardown(() => db.close())
  const file = new EventFile(db)
  for (const id of ['open', 'closed']) file.stream(id)
  for (let n = 0; n < 2000; n++) file.insert({ streamIds: ['open'], content: `note rare${n}` })
  file.insert({ streamIds: ['closed'], content: 'hidden3' })
  const mine = file.insert({ streamIds: ['open'], content: 'mine' })
  while (file.events.texts.hasPending()) db.transaction(() => file.events.texts.indexPending()).immediate()

  /** Returns the statements that remove a word from a text; the file is rolled back. */
  const runFor = (word: string): string[] => {
    db.exec('BEGIN')
    file.events.update({ ...mine, content: `mine ${word}` })
    run.length = 0
    file.events.update(mine)
    const taken = run.map(sql => sql.replace(/'.*?'|\d+/g, '?'))
    db.exec('ROLLBACK')
    file.events.invalidate()
    return taken
  }
  // The first run prepares more statements than later ones.
  runFor('hidden5')
  const [held, other] = ['hidden3', 'hidden4'].map(runFor)
  t.same(held, other)
  t.ok(held?.some(sql => sql.includes('event_word_idx')))
  t.end()
})
