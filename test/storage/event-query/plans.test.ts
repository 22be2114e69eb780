/** Query plans of the statements on events: by an index, in its order. No table scans, no sorting. */
import t from 'tap'
import type { EventQuery, StreamsCriteria } from '../../../storage/event-query/query.js'
import { listStatements } from '../../../storage/sqlite/statements.js'
import { eventFile, type EventFile } from '../../support/event-file.js'
import { runSteps } from '../../../storage/steps.js'

t.test('statements on events', t => {
  const file = eventFile(t)
  exercise(file)
  // Page keys of indexes and positions are few, and all are needed; the progress of the index is one row.
  const texts = listStatements(file.db).filter(
    sql =>
      !/^(INSERT|UPDATE|DELETE)|event_word_idx|event_text_end|event_place/.test(sql) && sql.includes('event')
  )

  for (const sql of texts)
    t.test(sql.replace(/\s+/g, ' '), t => {
      for (const step of plan(file, sql)) {
        t.notMatch(step, /TEMP B-TREE/)
        // Only a list given as JSON, or the rows of a subquery, may be scanned.
        if (step.startsWith('SCAN'))
          t.match(step, /^SCAN ([jw] VIRTUAL TABLE|\(subquery|json_each|event_vocabulary VIRTUAL TABLE|t$)/)
      }
      t.end()
    })

  t.test('are limited in number', t => {
    t.ok(texts.length > 30 && texts.length < 90, String(texts.length))
    t.end()
  })
  t.end()
})

function plan({ db }: EventFile, sql: string): string[] {
  const values = Array.from(sql.matchAll(/\?/g), () => 1)
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]
  return steps.map(({ detail }) => detail)
}

/** Prepares all statements: every kind of query in both orders, over enough rows that all paths are taken. */
function exercise(file: EventFile): void {
  const streams = Array.from({ length: 40 }, (_, index) => file.stream(`s${index}`))
  file.db.exec('BEGIN')
  for (let number = 0; number < 3000; number++)
    file.insert({
      streamIds: number % 7 === 0 ? [`s${2 + (number % 38)}`, 's1'] : [`s${number % 30}`],
      time: Math.floor(number / 20),
      ...(number % 3 === 0 && { duration: number % 60 === 0 ? null : number % 50 }),
      type: number % 1000 === 0 ? 'rare/one' : 'note/txt',
      modified: number,
      trashed: number % 10 === 0
    })
  file.db.exec('COMMIT')
  const rare = new Set([file.events.types.find('rare/one')!, ...file.events.types.listClass('rare')])
  const plain = [{ any: new Set([streams[2]!]), all: [], not: new Set<number>() }]
  const queries: Partial<EventQuery>[] = [
    {},
    { trashed: [0, 1] },
    { from: 20, to: 90 },
    { isRunning: true },
    { contents: [{ within: 'content', path: ['a'], comparison: ['eq', 1] }] },
    { streams: plain },
    { streams: plain, from: 20, to: 90 },
    { streams: criteria(streams[35]!) },
    { streams: criteria(...streams.slice(31)), limit: 5 },
    { streams: criteria(...streams.slice(20)), types: rare, from: 10 },
    { types: rare },
    { types: new Set([...rare, file.events.types.find('note/txt')!]), trashed: [0, 1] },
    { modifiedSince: 2990 },
    { modifiedSince: 10 },
    { modifiedSince: 2500, streams: criteria(...streams.slice(20)), limit: 20 },
    { skip: 30, limit: 20 },
    ...[true, false].map(byIndex => ({
      text: { words: ['hello', 'x'], mayUseIndex: byIndex },
      from: 20,
      streams: plain
    })),
    { text: { words: ['none'], mayUseIndex: true } }
  ]
  for (const query of queries) for (const order of ['ASC', 'DESC'] as const) file.ids({ ...query, order })
  summedUp(file)
  file.insert({ content: 'x'.repeat(100_000) })
  file.ids({ skip: 10 })
  const event = file.event()
  file.events.insert(event)
  file.events.findText(event.id)
  file.events.update({ ...event, time: 3 })
  runSteps(file.events.remove(event.id, 4))
  file.history.findDeletion(event.id)
  for (const isAscending of [true, false]) file.history.listDeletionsSince(0, isAscending, undefined, 10)
  file.events.hasIn(streams)
  file.events.getLastModified()
}

/** Reads samples and facts, of everything and of some streams, by content and by its fields. */
function summedUp({ events }: EventFile): void {
  const types = [undefined, new Set([1]), new Set([1, 2])]
  const within = [undefined, criteria(2, 3), [{ any: new Set([2, 3]), all: [], not: new Set<number>() }]]
  for (const streams of within) {
    for (const set of types)
      for (const field of [undefined, 'a.b']) {
        const run = events.createSample({
          streams,
          types: set,
          trashed: [0],
          from: 0,
          to: 200,
          buckets: 3,
          field
        })
        while (!events.continueSample(run, body => body));
      }
    const facts = events.createFacts(streams)
    while (!facts.isDone) events.nextFacts(facts, body => body)
  }
}

function criteria(...numbers: number[]): StreamsCriteria[] {
  return [{ any: new Set(numbers), all: [], not: new Set([1]) }]
}
