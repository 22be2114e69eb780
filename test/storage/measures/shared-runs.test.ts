/** Reads that calls share: who gets which, and what is kept of them. */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { MeasureRun, type MeasureStore } from '../../../storage/measures/reading.js'
import { SharedRuns } from '../../../storage/measures/shared-runs.js'
import { collectGarbage } from '../../support/heap.js'

// Nothing here reads a file.
const file = {} as MeasureStore

/** A source of runs that result in the number of runs started before. */
class Source {
  readonly #runs = new SharedRuns()
  started = 0

  get(text: string, version: number, values = 1): MeasureRun<number> {
    const start = (): MeasureRun<number> => {
      const number = this.started++
      return new MeasureRun(function* () {
        yield
        return number
      }, values)
    }
    return this.#runs.get({ text, version }, start)
  }

  read(text: string, version: number, values = 1): number | undefined {
    const run = this.get(text, version, values)
    return run.next(file) ?? run.next(file)
  }
}

t.test('calls with the same key share a read, from its start until the next commit', async t => {
  const source = new Source()
  const first = source.get('a', 1)
  t.equal(source.get('a', 1), first, 'while it runs')
  t.equal(source.read('a', 1), 0)
  t.equal(source.get('a', 1), first, 'once it is complete')
  t.equal(first.next(file), 0, 'each call gets the result')
  t.equal(source.read('b', 1), 1, 'another key')
  t.equal(source.read('a', 2), 2, 'after a commit')
  t.equal(first.next(file), 0, 'a call that began before has its own')
})

t.test('a read that was begun before a commit is not kept after it', async t => {
  const source = new Source()
  const before = source.get('a', 1)
  const after = source.get('a', 2)
  t.equal(before.next(file) ?? before.next(file), 0)
  t.equal(source.get('a', 2), after)
  t.equal(after.next(file) ?? after.next(file), 1)
})

function createFailingRun(): MeasureRun<number> {
  // oxlint-disable-next-line require-yield -- it fails before
  return new MeasureRun<number>(function* () {
    throw new Error('unreadable')
  })
}

t.test('a read that fails throws for each call that shares it, and is not shared any longer', async t => {
  const runs = new SharedRuns()
  const failing = runs.get({ text: 'a', version: 1 }, createFailingRun)
  t.throws(() => failing.next(file), { message: 'unreadable' })
  t.throws(() => failing.next(file), { message: 'unreadable' })
  const next = runs.get(
    { text: 'a', version: 1 },
    () =>
      new MeasureRun(function* () {
        yield
        return 7
      })
  )
  t.equal(next.next(file) ?? next.next(file), 7)
})

t.test('an account keeps its latest reads only', async t => {
  const source = new Source()
  for (const text of 'abcdefgh') source.read(text, 1)
  t.equal(source.read('a', 1), 0)
  source.read('i', 1)
  t.equal(source.read('a', 1), 9, 'the oldest is gone')
  t.equal(source.read('h', 1), 7)
})

t.test('results of all accounts take limited memory', async t => {
  const [one, other] = [new Source(), new Source()]
  t.equal(one.read('large', 1, 1e6), 0)
  t.equal(one.read('large', 1, 1e6), 1, 'a result that is too large is not kept')
  one.read('a', 1, 20_000)
  other.read('b', 1, 5000)
  one.read('a', 1, 20_000)
  t.equal(one.started, 3)
  other.read('c', 1, 6000)
  t.equal(other.read('b', 1), 2, 'what was not used for the longest time is gone')
  t.equal(one.read('a', 1), 2)
})

t.test('a read that is abandoned half way takes no memory', async t => {
  const runs = new SharedRuns()
  const partial = begin(runs)
  for (let turn = 0; turn < 10 && partial.deref(); turn++) {
    await setImmediate()
    collectGarbage()
  }
  t.equal(partial.deref(), undefined)
})

/** Begins a read, and returns what it has read. */
function begin(runs: SharedRuns): WeakRef<object> {
  let partial: WeakRef<object> | undefined
  const start = (): MeasureRun<object> =>
    new MeasureRun(function* () {
      const values = Array.from({ length: 1000 }, (_, at) => at)
      partial = new WeakRef(values)
      const end = performance.now() + 20
      while (performance.now() < end) yield
      yield
      return values
    })
  runs.get({ text: 'a', version: 1 }, start).next(file)
  return partial!
}
