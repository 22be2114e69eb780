/** Paged searches while events are indexed, changed and deleted. */
import t from 'tap'
import type { Event } from '../../../schemas/event.js'
import { eventFile, type EventFile } from '../../support/event-file.js'
import { Random } from '../../support/random.js'
import { runSteps } from '../../../storage/steps.js'

t.setTimeout(900_000)

const base = Number(process.env['COFFER_TEST_SEED'] ?? 1)

function index({ db, events: { texts } }: EventFile): void {
  if (texts.hasPending()) db.transaction(() => texts.indexPending()).immediate()
}

/** Returns ids by time, then by order of creation. */
function inOrder(events: readonly Event[], order: 'ASC' | 'DESC'): string[] {
  const sorted = events.toSorted((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
  return order === 'ASC' ? sorted : sorted.toReversed()
}

for (let seed = base; seed < base + 6; seed++)
  t.test(`a search while its events are being indexed, seed ${seed}`, t => {
    const random = new Random(seed)
    const file = eventFile(t)
    file.db.pragma('synchronous = OFF')
    const add = (count: number): Event[] =>
      file.db.transaction(() =>
        Array.from({ length: count }, () =>
          file.insert({ time: random.below(300), content: `common ${random.chance(0.5) ? 'half' : 'other'}` })
        )
      )()
    const events = add(1500)
    for (let goes = random.below(3); goes > 0; goes--) index(file)
    events.push(...add(1500))
    for (const order of ['ASC', 'DESC'] as const)
      for (const byIndex of [true, false]) {
        const range = random.chance(0.5) ? { from: 50, to: 250 } : {}
        const { from = 0, to = 300 } = range
        const matching = events.filter(
          ({ content, time }) => String(content).includes('half') && time >= from && time <= to
        )
        const skip = random.pick([0, 7, 600])
        const limit = random.pick([20, 700, Infinity])
        const run = file.query({
          text: { words: ['half'], mayUseIndex: byIndex },
          order,
          skip,
          limit,
          ...range
        })
        const ids: string[] = []
        for (let done = false; !done;) {
          const page = file.events.next(run)
          ids.push(...(JSON.parse(`[${page.text}]`) as Event[]).map(({ id }) => id))
          done = page.done
          if (random.chance(0.3)) index(file)
          if (random.chance(0.3)) events.push(...add(5))
        }
        t.same(ids, inOrder(matching, order).slice(skip, skip + limit), `${order} ${skip} ${limit}`)
      }
    t.end()
  })

t.test('matches are checked again before they are returned', t => {
  const file = eventFile(t)
  file.db.pragma('synchronous = OFF')
  const events = file.db.transaction(() =>
    Array.from({ length: 3000 }, (_, time) => file.insert({ time, content: `common ${time}` }))
  )()
  const run = file.query({ text: { words: ['common'], mayUseIndex: true }, order: 'ASC', limit: 800 })
  const ids: string[] = []
  for (let done = false; !done;) {
    const page = file.events.next(run)
    ids.push(...(JSON.parse(`[${page.text}]`) as Event[]).map(({ id }) => id))
    done = page.done
    if (page.count === 0 || events.length < 3000) continue
    // More than the search can have buffered: it has to read again.
    const gone = events.splice(ids.length, 1000)
    for (const [n, event] of gone.entries())
      if (n % 2 === 0) runSteps(file.events.remove(event.id, 5000))
      else file.events.update({ ...event, content: 'changed', modified: 5000 })
    if (events.length % 2 === 0) index(file)
  }
  t.same(ids, events.slice(0, 800).map(({ id }) => id)) // oxfmt-ignore
  t.end()
})
