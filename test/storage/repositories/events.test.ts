/** The stored events of a user. */
import t from 'tap'
import type { StreamsCriteria } from '../../../storage/event-query/query.js'
import { UniqueViolation } from '../../../storage/errors.js'
import { eventFile } from '../../support/event-file.js'
import { runSteps } from '../../../storage/steps.js'

t.test('EventRepository', async t => {
  t.test('returns events as stored, without empty fields', async t => {
    const { events, event } = bound(t)
    const given = event({ duration: 0, description: '', clientData: {}, trashed: false })
    const text = events.insert(given)
    const { duration: _, description: _d, clientData: _c, trashed: _t, ...kept } = given
    t.same(JSON.parse(text), kept)
    t.same(events.find(given.id), kept)
    t.equal(events.findText(given.id)!.body, text)
    t.equal(events.find('other'), undefined)
    t.equal(events.findText('other'), undefined)
  })

  t.test('refuses a duplicate id', async t => {
    const { file } = bound(t)
    const { id } = file.insert()
    t.throws(() => file.insert({ id }), new UniqueViolation('event.id'))
  })

  t.test('finds an event after its time, streams or trashed state have changed', async t => {
    const { file, events } = bound(t)
    const work = file.stream('work')
    const diary = file.streams.find('diary')!.number
    const event = file.insert({ time: 5, duration: 3 })
    events.update({ ...event, streamIds: ['work'], time: 100, duration: null, trashed: true })
    t.same(events.findText(event.id)!.streams, [work])
    t.same(file.ids({ streams: inStream(diary), trashed: [0, 1] }), [])
    t.same(file.ids({ streams: inStream(work), trashed: [0] }), [])
    t.same(file.ids({ streams: inStream(work), trashed: [1] }), [event.id])
    t.same(file.ids({ isRunning: true, trashed: [1] }), [event.id])
    t.same(file.ids({ from: 5, to: 9, trashed: [0, 1] }), [])
    t.notOk(events.hasIn([diary]))
    t.ok(events.hasIn([diary, work]))
  })

  t.test('knows the duration classes after reopening a file', async t => {
    const { file } = bound(t)
    const long = file.insert({ time: 0, duration: 1000 })
    const running = file.insert({ time: 0, duration: null, trashed: true })
    file.insert({ time: 0, duration: 10 })
    file.reopen()
    t.same(file.ids({ from: 500, trashed: [0, 1] }), [running.id, long.id])
  })

  t.test('keeps a record of a deleted event, with the paths of its streams', async t => {
    const { file, events } = bound(t)
    file.stream('sub', 'diary')
    file.stream('work')
    const event = file.insert({ streamIds: ['sub', 'work'] })
    runSteps(events.remove(event.id, 7))
    t.equal(events.find(event.id), undefined)
    t.same(file.ids({}), [])
    t.same(file.history.findDeletion(event.id), {
      id: event.id,
      deleted: 7,
      paths: [['sub', 'diary'], ['work']]
    })
    t.equal(events.getLastModified(), 7)
  })

  t.test('lists deletions by time and id, and continues after the last one', async t => {
    const { file, events } = bound(t)
    const ids = [3, 1, 2, 2, 2].map(deleted => {
      const { id } = file.insert()
      runSteps(events.remove(id, deleted))
      return id
    })
    const order = [1, 2, 3, 4, 0].map(index => ids[index]!)
    const list = (since: number, isAscending: boolean): string[] => {
      const found: string[] = []
      for (let last; ;) {
        const { rows: page } = file.history.listDeletionsSince(since, isAscending, last, 2)
        found.push(...page.map(({ id }) => id))
        if (!(last = page.at(-1))) return found
      }
    }
    t.same(list(0, true), order)
    t.same(list(0, false), order.toReversed())
    t.same(list(1, true), order.slice(1))
    t.same(list(2, false), [ids[0]])
    t.same(list(3, true), [])
  })

  t.test('drops paths that are too long in total', async t => {
    const { file, events } = bound(t)
    const above = Array.from({ length: 90 }, (_, at) => `${at}`.padEnd(1000, 'x'))
    above.forEach((id, at) => file.stream(id, above[at - 1] ?? null))
    const leaves = Array.from({ length: 60 }, (_, at) => `leaf ${at}`)
    for (const id of leaves) file.stream(id, above.at(-1))
    const [few, many] = [file.insert({ streamIds: leaves.slice(0, 20) }), file.insert({ streamIds: leaves })]
    for (const { id } of [few, many]) runSteps(events.remove(id, 1))
    t.equal(file.history.findDeletion(few.id)?.paths.length, 20)
    t.same(file.history.findDeletion(many.id)?.paths, [])
  })

  t.test('ends a page of deletions before their paths fill the memory', async t => {
    const { file } = bound(t)
    const paths = JSON.stringify([Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(1000, 'x'))])
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(deleted => {
      const event = file.insert()
      runSteps(file.history.recordDeletion(event, deleted, paths))
      return event.id
    })
    const { done, rows } = file.history.listDeletionsSince(0, true, undefined, 1000)
    t.same([done, rows.length], [false, 6])
    const rest = file.history.listDeletionsSince(0, true, rows.at(-1), 1000)
    t.same(
      [...rows, ...rest.rows].map(({ id }) => id),
      ids
    )
    t.equal(rest.done, true)
  })

  t.test('ends a page before large events fill the memory', async t => {
    const { file } = bound(t)
    const ids = [1, 2, 3, 4, 5].map(time => file.insert({ time, content: 'x'.repeat(3_000_000) }).id)
    t.same(
      file.pages({ order: 'ASC' }).map(page => page.length),
      [1, 1, 1, 1, 1]
    )
    t.same(file.ids({ order: 'ASC', skip: 1, limit: 3 }), ids.slice(1, 4))
    file.reopen()
    t.same(file.ids({ order: 'ASC' }), ids)
  })

  t.test('continues correctly when events of the same time fill several pages', async t => {
    const { file } = bound(t)
    file.db.exec('BEGIN')
    const ids = Array.from({ length: 2500 }, () => file.insert({ time: 7 }).id)
    const later = file.insert({ time: 8 }).id
    file.db.exec('COMMIT')
    t.same(file.ids({ order: 'ASC' }), [...ids, later])
    t.same(file.ids({ trashed: [0, 1] }), [later, ...ids.toReversed()])
    t.same(file.ids({ order: 'ASC', skip: 2490 }), [...ids.slice(2490), later])
  })

  t.test('returns no events that stop matching between pages', async t => {
    const { file, events } = bound(t)
    file.db.exec('BEGIN')
    const ids = Array.from({ length: 700 }, (_, time) => file.insert({ time, duration: null }).id)
    file.db.exec('COMMIT')
    const secret = file.stream('secret')
    const run = events.query({
      streams: [{ all: [], not: new Set([secret]) }],
      from: 1000,
      isRunning: false,
      trashed: [0],
      order: 'ASC',
      skip: 0,
      limit: Infinity,
      present: body => body
    })
    const first = events.next(run)
    t.notOk(first.done)
    const hidden = events.find(ids.at(-1)!)!
    events.update({ ...hidden, streamIds: ['secret'] })
    runSteps(events.remove(ids.at(-2)!, 1))
    const second = events.next(run)
    t.ok(second.done)
    t.equal(first.count + second.count, 698)
    t.notMatch(second.text, hidden.id)
  })
})

function inStream(number: number): StreamsCriteria[] {
  return [{ any: new Set([number]), all: [], not: new Set() }]
}

function bound(t: Parameters<typeof eventFile>[0]) {
  const file = eventFile(t)
  return { file, events: file.events, event: file.event.bind(file) }
}

t.test('a file that an event has again is not removed with the one that had it', t => {
  const file = eventFile(t)
  const attachments = [{ id: 'c00000000000000000000000a', fileName: 'a.txt', type: 'text/plain', size: 1 }]
  const first = file.insert({ attachments })
  runSteps(file.events.remove(first.id, 1))
  t.same(file.attachments.listOrphans(10), ['c00000000000000000000000a'])
  file.insert({ attachments })
  t.same(file.attachments.listOrphans(10), [])
  t.equal(file.attachments.hasOrphans, false)
  t.end()
})
