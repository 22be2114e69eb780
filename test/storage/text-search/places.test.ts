/** The index of texts asked in places: how much of that one search does, whatever it looks for. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { openFile } from '../../../storage/sqlite/open.js'
import { EventFile } from '../../support/event-file.js'

t.test('a search of several words in many places gives up before it has asked them again for each', t => {
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
  while (file.events.texts.hasWaiting()) db.transaction(() => file.events.texts.index()).immediate()

  const streams = [{ any: new Set(numbers), all: [], not: new Set<number>() }]
  const find = (...words: string[]): { found: number; asks: number } => {
    asks = 0
    const found = file.ids({ streams, text: { words, byIndex: false } }).length
    return { found, asks }
  }
  t.same(find('rare5000'), { found: 1, asks: 200 })
  const { asks: forFrequent, found } = find('note', 'rare5000')
  t.equal(found, 1)
  t.ok(forFrequent > 200 && forFrequent <= 360, `${forFrequent} for a frequent word and a rare one`)
  // Each of them is in nearly all places before it has led to too many.
  const many = find('others', 'often', 'there', 'some')
  t.equal(many.found, few)
  t.ok(many.asks > 150 && many.asks <= 360, `${many.asks} for four words`)
  t.end()
})
