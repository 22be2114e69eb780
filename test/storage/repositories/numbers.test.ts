/** Row numbers: caches and slowly read lists refer to rows by number. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { userMigrations } from '../../../storage/migrations/user/index.js'
import { openFile } from '../../../storage/sqlite/open.js'
import { EventFile, eventFile } from '../../support/event-file.js'
import { runSteps } from '../../../storage/steps.js'

t.test('a row number is never reused', async t => {
  t.test('after its stream was deleted', async t => {
    const file = eventFile(t)
    const first = file.stream('first')
    file.streams.remove('first', 1)
    const second = file.stream('second')
    t.ok(second > first, `${second} after ${first}`)
    file.streams.remove('second', 1)
    const again = new EventFile(file.db)
    const third = again.stream('third')
    t.ok(third > second, `${third} after ${second}, the file having been opened again`)
  })

  t.test('after its event was deleted', async t => {
    const file = eventFile(t)
    file.insert()
    const first = file.insert()
    const number = numberOf(file, first.id)
    runSteps(file.events.remove(first.id, 1))
    const second = numberOf(file, file.insert().id)
    t.ok(second > number, `${second} after ${number}`)
    for (const { id } of [file.insert(), file.insert()].toReversed()) runSteps(file.events.remove(id, 1))
    file.reopen()
    const third = numberOf(file, file.insert().id)
    t.equal(third, second + 3, 'the file having been opened again')
  })

  t.test('after all events of a stream were deleted with it', async t => {
    const file = eventFile(t)
    const work = file.stream('work')
    const ids = Array.from({ length: 5 }, () => file.insert({ streamIds: ['work'] }).id)
    const last = numberOf(file, ids.at(-1)!)
    const steps = file.events.empty({ from: [work], to: undefined, decide: () => ({ deleted: 1 }) })
    while (!steps.next().done);
    t.ok(numberOf(file, file.insert().id) > last)
    file.reopen()
    t.ok(numberOf(file, file.insert().id) > last + 1)
  })

  t.test('unless its row was never committed', async t => {
    const file = eventFile(t)
    const before = numberOf(file, file.insert().id)
    file.db.exec('BEGIN')
    file.insert()
    file.stream('undone')
    file.db.exec('ROLLBACK')
    file.events.invalidate()
    file.streams.invalidate()
    t.equal(numberOf(file, file.insert().id), before + 1)
    t.throws(() => file.insert({ id: file.insert().id }))
    t.equal(numberOf(file, file.insert().id), before + 3)
    t.equal(file.stream('kept'), file.streams.find('diary')!.number + 1)
  })

  t.test('in a file of an earlier version', async t => {
    const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    const path = join(directory, 'user.sqlite')
    const migrations = userMigrations.slice(0, 10)
    openFile(path, { migrations, synchronous: 'NORMAL', create: true }).close()
    const db = openFile(path, { migrations: userMigrations, synchronous: 'NORMAL' })
    t.teardown(() => db.close())
    const file = new EventFile(db)
    const diary = file.stream('diary')
    const number = numberOf(file, file.insert().id)
    runSteps(file.events.remove(file.insert().id, 1))
    t.equal(numberOf(file, file.insert().id), number + 2)
    file.streams.remove(file.streams.findByNumber(file.stream('other'))!.stream.id, 1)
    t.equal(file.stream('third'), diary + 2)
  })
})

t.test('only deleting the row with the highest number is recorded', async t => {
  const file = eventFile(t)
  const ids = Array.from({ length: 10 }, () => file.insert().id)
  const marks = (): unknown => file.db.prepare('SELECT count(*) FROM highest_number').pluck().get()
  for (const id of ids.slice(0, 9)) runSteps(file.events.remove(id, 1))
  t.equal(marks(), 0)
  runSteps(file.events.remove(ids[9]!, 1))
  t.equal(marks(), 1)
})

function numberOf({ db }: EventFile, id: string): number {
  return db.prepare('SELECT number FROM event WHERE id = ?').pluck().get(id) as number
}
