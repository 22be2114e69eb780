/** The cached ends of streams, after all operations that change them. */
import t from 'tap'
import { runSteps } from '../../../storage/steps.js'
import type { Event } from '../../../schemas/event.js'
import type { Order } from '../../../storage/event-query/position.js'
import { eventFile, type EventFile } from '../../support/event-file.js'
import { Random } from '../../support/random.js'

/** Streams with a few events each; all others are in `diary`, and hide these from a scan of the latest events. */
const sparse = Array.from({ length: 40 }, (_, index) => `s${index}`)
const rounds = process.env['COFFER_TEST_LONG'] ? 3000 : 300

t.test('queries over many streams are correct after', t => {
  const file = eventFile(t)
  const numbers = new Map(sparse.map(id => [id, file.stream(id)]))
  const random = new Random(8)
  let events = new Map<string, Event>()
  const time = (): number => random.below(500)
  const streamIds = (): string[] => [...new Set(random.some(sparse, 2))]
  const keep = (event: Event): unknown => events.set(event.id, event)
  const pick = (): Event => random.pick([...events.values()])
  const change = (fields: Partial<Event>): void => {
    const event = { ...pick(), ...fields }
    keep(event)
    file.events.update(event)
  }

  file.db.exec('BEGIN')
  for (let count = 0; count < 600; count++) file.insert({ time: time() })
  const changes: Record<string, () => void> = {
    insertions: () =>
      keep(file.insert({ streamIds: streamIds(), time: time(), trashed: random.chance(0.2) })),
    'changes of time': () => change({ time: time() }),
    'changes of streams': () => change({ streamIds: streamIds() }),
    'ways into the trash and out of it': () => change({ trashed: random.chance(0.5) }),
    deletions() {
      const { id } = pick()
      events.delete(id)
      runSteps(file.events.remove(id, 1))
    },
    'the end of a stream'() {
      const [from, to] = random.some(sparse, 2)
      if (!to || to === from) return
      const emptying = file.events.empty({
        from: [numbers.get(from!)!],
        to: numbers.get(to),
        decide(event) {
          const left = [...new Set([to, ...event.streamIds.filter(id => id !== from)])]
          const settled = { ...event, streamIds: left }
          keep(settled)
          return settled
        }
      })
      runSteps(emptying)
    },
    'what was undone'() {
      const before = events
      events = new Map(before)
      file.db.exec('SAVEPOINT part')
      changes['deletions']!()
      changes['insertions']!()
      // What is cached here must not survive the rollback.
      compare(file, random, numbers, events)
      file.db.exec('ROLLBACK TO part; RELEASE part')
      file.events.invalidate()
      events = before
    }
  }
  for (let count = 0; count < 80; count++) changes['insertions']!()

  for (const [name, make] of Object.entries(changes))
    t.test(name, t => {
      for (let round = 0; round < rounds; round++) {
        make()
        const wrong = compare(file, random, numbers, events)
        if (wrong) {
          t.same(wrong.found, wrong.expected, `round ${round}`)
          break
        }
        // Few enough to be sparse, enough to continue.
        if (events.size < 60) changes['insertions']!()
        else if (events.size > 120) changes['deletions']!()
      }
      t.pass('all alike')
      t.end()
    })
  t.test('closing and opening the file', t => {
    file.reopen()
    t.equal(compare(file, random, numbers, events), undefined)
    t.end()
  })
  t.end()
})

/** Runs a random query; returns the results if they are wrong. */
function compare(
  file: EventFile,
  random: Random,
  numbers: ReadonlyMap<string, number>,
  events: ReadonlyMap<string, Event>
): { found: string[]; expected: string[] } | undefined {
  const wanted = new Set(random.some(sparse, random.chance(0.5) ? 16 : 40))
  const order: Order = random.chance(0.5) ? 'ASC' : 'DESC'
  const trashed = random.pick([[0], [1], [0, 1]] as const)
  const to = random.chance(0.5) ? Infinity : random.below(500)
  const limit = 1 + random.below(10)
  const any = new Set([...wanted].map(id => numbers.get(id)!))
  const streams = [{ any, all: [], not: new Set<number>() }]
  const times = (ids: string[]): string[] => ids.map(id => `${events.get(id)?.time} ${id}`)
  const found = times(file.ids({ streams, order, trashed, to, limit }))
  const expected = [...events.values()]
    .filter(({ streamIds }) => streamIds.some(id => wanted.has(id)))
    .filter(event => event.time <= to && trashed.some(state => state === (event.trashed ? 1 : 0)))
    .toSorted((a, b) => (order === 'ASC' ? a.time - b.time : b.time - a.time))
    .slice(0, limit)
  // Events of the same time are in row order.
  const inOrder = found.map(entry => entry.split(' ')[0]).join()
  return inOrder === expected.map(event => event.time).join()
    ? undefined
    : { found, expected: times(expected.map(({ id }) => id)) }
}
