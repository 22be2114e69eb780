/** What is cached of the types in each stream: how much, and how long one step takes after changes. */
import t from 'tap'
import { StreamFacts } from '../../../storage/event-values/stream-facts.js'
import { eventFile } from '../../support/event-file.js'

const types = 900

t.test('streams with many types are cached up to a limit', t => {
  const file = eventFile(t)
  const facts = new StreamFacts()
  for (let stream = 1000; stream < 1030; stream++) {
    const lane = facts.get(stream)
    lane.step(file.db)
    t.ok(lane.isComplete, 'it is empty')
    for (let type = 0; type < types; type++)
      facts.add(stream, { number: type, time: type, trashed: 0, stream, others: null, type })
  }
  t.equal(facts.get(1029).groups.size, types, 'the last ones are cached')
  t.equal(facts.get(1000).groups.size, 0, 'the first ones are not')
  t.end()
})

t.test('lists of many streams count as they take memory', t => {
  const file = eventFile(t)
  const facts = new StreamFacts()
  const others = JSON.stringify(Array.from({ length: 120 }, (_, at) => 100_000 + at))
  for (let stream = 1000; stream < 1006; stream++) {
    facts.get(stream).step(file.db)
    for (let type = 0; type < types; type++)
      facts.add(stream, { number: type, time: type, trashed: 0, stream, others, type })
  }
  t.equal(facts.get(1000).groups.size, 0)
  t.end()
})

t.test('first and last events that were removed are found again in short steps', t => {
  const file = eventFile(t)
  const stream = file.streams.find('diary')!.number
  const { facts } = file.events.links
  file.db.exec('BEGIN')
  const all = Array.from({ length: 3 * types }, (_, at) =>
    file.insert({ time: at, type: `own/t${at % types}`, content: at })
  )
  file.db.exec('COMMIT')
  const read = (): number => {
    for (let steps = 0; ; steps++) {
      const lane = facts.get(stream)
      if (lane.isComplete) return steps
      lane.step(file.db)
    }
  }
  read()
  t.equal(facts.get(stream).groups.size, types)
  file.db.exec('BEGIN')
  for (const event of [...all.slice(0, types), ...all.slice(2 * types)])
    file.events.update({ ...event, trashed: true })
  file.db.exec('COMMIT')
  const steps = read()
  t.ok(steps >= 5, `${steps} steps`)
  for (const { count, first, last } of facts.get(stream).groups.values())
    if (count !== 1 || !first || first.time !== last?.time) t.fail(`${count} from ${first?.time}`)
  t.equal(read(), 0, 'once')
  t.end()
})
