/** Periods by the hundred thousand, such as the stages of many years of sleep: what they take, and that none is counted twice. */
import t from 'tap'
import { Pauses } from '../../../core/measures/pauses.js'
import { addPeriods, PeriodLists, type PeriodGroup } from '../../../core/measures/periods.js'
import type { Steps } from '../../../storage/steps.js'
import { measureHeap } from '../../support/heap.js'
import { seeded } from '../../support/random.js'

/** Bytes of a value that a read holds: see `ContentsQuery.countHeld`. */
const bytesPerValue = 150

interface Source {
  readonly streamId: string
  readonly groups: readonly PeriodGroup[]
}

function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Groups periods of a source, each given by its beginning and its end. */
function group(streamId: string, periods: Iterable<readonly [from: number, to: number]>): Source {
  const lists = new PeriodLists(0)
  for (const [from, to] of periods) lists.add({ from, to, state: 'full' })
  return { streamId, groups: finish(lists.group(new Pauses())) }
}

t.test('take as much memory as is counted', async t => {
  const count = 200_000
  const before = measureHeap()
  const lists = new PeriodLists(0)
  let held = 0
  for (let at = 0; at < count; at++)
    held += lists.add({ from: at * 60.25, to: at * 60.25 + 20.5, state: 'full' })
  const groups = finish(lists.group(new Pauses()))
  const bytes = measureHeap() - before
  t.equal(groups.length, count)
  t.ok(bytes < held * bytesPerValue, `${bytes} bytes, ${held} values`)
  // Both are in memory until here.
  const more = lists.add({ from: Infinity, to: Infinity, state: 'full' })
  t.ok(held - count * more < 2, 'periods, and their list')
})

t.test('of several sources are compared in little time, where one period connects them all', async t => {
  const count = 300_000
  const list = function* (first: number): Generator<[number, number]> {
    for (let at = 0; at < count; at++) yield [first + at * 600, first + at * 600 + 250]
  }
  const sources = [group('watch', list(0)), group('phone', list(300)), group('project', [[-1, count * 600]])]
  const before = process.cpuUsage()
  const [[, found] = [undefined, undefined]] = finish(addPeriods(sources, () => 0))
  const { system, user } = process.cpuUsage(before)
  t.match(found, { count: 2 * count, value: 2 * count * 250 })
  t.ok(user + system < 4e6, `${user + system} µs`)
})

t.test('of a source that others are preferred to count where those have none', async t => {
  const random = seeded(t)
  for (let round = 0; round < 300; round++) {
    const sources = Array.from({ length: 1 + random.below(8) }, (_, rank) => {
      const periods: [number, number][] = []
      for (let at = random.below(20); at < 300; at += 1 + random.below(40)) {
        const to = at + 1 + random.below(random.pick([5, 30, 200]))
        periods.push([at, to])
        at = to
      }
      return group(`s${rank}`, periods)
    })
    const taken: PeriodGroup[] = []
    for (const { groups } of sources)
      for (const each of groups)
        if (!taken.some(({ from, to }) => from < each.to && each.from < to)) taken.push(each)
    const days = finish(addPeriods(sources, time => time))
    const expected = taken.map(({ from, to }) => [to, to - from]).toSorted(([a], [b]) => a! - b!)
    t.same(
      [...days].map(([to, { value }]) => [to, value]).toSorted(([a], [b]) => a! - b!),
      expected,
      `round ${round}`
    )
  }
})
