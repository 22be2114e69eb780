/** Reads of measures that hold many values: one of an account at a time, and what takes how much memory. */
import { get } from 'node:http'
import t from 'tap'
import { createId } from '../../../core/ids.js'
import { findBeginning } from '../../../storage/measures/period-beginnings.js'
import { MeasureRepository } from '../../../storage/measures/measure-repository.js'
import { MeasureRun, type MeasureStore } from '../../../storage/measures/reading.js'
import { ValueCells } from '../../../storage/measures/value-cells.js'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { measureHeap } from '../../support/heap.js'
import { until } from '../../support/socket.js'

const hours = 60_000
const start = Date.UTC(2020, 0, 1) / 1000

t.test('sources with one number each take as much memory as is counted', t => {
  const grid = { starts: [0, 10], end: 20 }
  const count = 10_000
  const before = measureHeap()
  const all = Array.from({ length: count }, (_, at) => {
    const cells = new ValueCells(grid)
    cells.target(value => value, false).countEvent({ time: 5.5, number: at }, 70.5 + at, undefined)
    return cells
  })
  const bytes = (measureHeap() - before) / count
  const { held } = all[0]!
  t.ok(bytes < held * 150, `${bytes} bytes, ${held} values`)
  // With a map for each of what there may be besides, it was 1.1 KB.
  t.ok(bytes < 600, `${bytes} bytes`)
  t.end()
})

/** Begins a read of an account of its own. */
function beginAlone(held: number): [MeasureRepository, MeasureRun<number>] {
  const measures = new MeasureRepository({} as never, {} as never, {} as never)
  const run = new MeasureRun(function* (reading) {
    reading.held = held
    yield
    return held
  })
  run.next({} as MeasureStore)
  measures.use(run)
  return [measures, run]
}

t.test('the reads of all accounts hold limited memory', t => {
  const all = Array.from({ length: 30 }, () => beginAlone(500_000))
  const going = (): number => all.filter(([measures, run]) => !measures.mustWait(run, 'app')).length
  // Of 75 MB each.
  t.equal(going(), 4)
  t.equal(going(), 1, 'the first one')
  const [middle, small] = [beginAlone(15_000), beginAlone(10)]
  for (const [measures, run] of [middle, small]) t.notOk(measures.mustWait(run, 'app'), 'short ones go on')
  middle[0].release(middle[1])
  const [second] = all.splice(1, 1)
  second![0].release(second![1])
  t.equal(going(), 1, 'the others still hold too much')
  for (let left = all.length; left > 0; left--) {
    t.notOk(all[0]![0].mustWait(all[0]![1], 'app'))
    const [[measures, run]] = all.splice(0, 1) as [(typeof all)[0]]
    measures.release(run)
  }
  const last = beginAlone(500_000)
  t.notOk(last[0].mustWait(last[1], 'app'), 'nothing is left')
  last[0].release(last[1])
  t.end()
})

t.test('large reads', async t => {
  const { alice, server } = await openCoffer(t)

  /** Returns the runs over contents that a request starts, and the body of its response. */
  const watchRuns = async (path: string): Promise<[runs: { readonly held: number }[], body: Answer]> => {
    const { accounts } = server.services
    const { measures } = accounts.openStore(accounts.find('alice')!)
    const createContents = measures.createContents.bind(measures)
    const runs: { readonly held: number }[] = []
    measures.createContents = query => {
      const run = createContents(query)
      runs.push(run)
      return run
    }
    const { body } = await alice.http('GET', path)
    measures.createContents = createContents
    return [runs, body]
  }

  await t.test('take turns', async t => {
    const { accounts } = server.services
    const { measures } = accounts.openStore(accounts.find('alice')!)
    const begin = (held: number): MeasureRun<number> => {
      const run = new MeasureRun(function* (reading) {
        reading.held = held
        yield
        return held
      })
      measures.use(run)
      t.notOk(measures.mustWait(run, 'app'), 'small before it begins')
      run.next({} as MeasureStore)
      return run
    }
    const mustWait = (run: MeasureRun<number>): boolean => measures.mustWait(run, 'app')
    const [small, first, second, third] = [begin(10), begin(50_000), begin(50_000), begin(2000)]
    t.notOk(mustWait(first))
    t.ok(mustWait(second))
    t.notOk(mustWait(small), 'small ones do not wait')
    // The days of decades take megabytes while they are combined, and there may be hundreds of such reads.
    t.ok(mustWait(third))
    t.notOk(mustWait(first), 'the first one goes on')
    // A busy machine: nothing goes on for a while.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    t.ok(mustWait(second), 'the first one keeps its turn')
    measures.use(first)
    measures.release(first)
    t.ok(mustWait(second), 'another call uses the first one')
    measures.release(second)
    measures.release(first)
    t.ok(mustWait(first), 'behind the one that waits')
    t.notOk(mustWait(third), 'one that was closed has no turn')
    measures.release(third)
    measures.release(first)

    await t.test('by access', async t => {
      const runs = Array.from({ length: 5 }, () => ['app', begin(2000)] as const)
      for (const [access, run] of runs) measures.mustWait(run, access)
      const all = [...runs, ['alice', begin(2000)] as const]
      const order: string[] = []
      while (all.length > 0) {
        // Those that came first also ask first.
        const going = all.filter(([access, run]) => !measures.mustWait(run, access))
        t.equal(going.length, 1)
        const [[access, run]] = all.splice(all.indexOf(going[0]!), 1) as [(typeof all)[0]]
        order.push(access)
        measures.release(run)
      }
      t.same(order, ['app', 'app', 'alice', 'app', 'app', 'app'])
    })

    await t.test('call by call, if calls share what has been read', t => {
      const shared = begin(2000)
      const calls = [{}, {}, {}]
      for (const _ of calls) measures.use(shared)
      measures.release(shared)
      const going = (): object[] => calls.filter(call => !measures.mustWait(shared, 'app', call))
      t.equal(going().length, 3, 'all read it on')
      shared.next({} as MeasureStore)
      t.ok(shared.isComplete)
      const other = begin(2000)
      const order: object[] = []
      while (calls.length > 0) {
        const [one, ...others] = going()
        t.ok(one && others.length === 0, 'one combines the result')
        t.ok(mustWait(other))
        calls.splice(calls.indexOf(one!), 1)
        order.push(one!)
        measures.release(shared, one)
      }
      t.equal(new Set(order).size, 3)
      t.notOk(mustWait(other), 'it has its turn')
      measures.release(other)
      t.end()
    })

    await t.test('by the access of their calls', async t => {
      const app = await alice.grant('read', '*', { type: 'app' })
      const blocker = begin(50_000)
      t.notOk(mustWait(blocker))
      const waiting = new Map<unknown, string>()
      const found = measures.mustWait.bind(measures)
      measures.mustWait = (run, access) => {
        const mustWaitNow = found(run, access)
        if (mustWaitNow) waiting.set(run, access)
        return mustWaitNow
      }
      const order: string[] = []
      const read = async (name: string, client: Client, month: number): Promise<void> => {
        const path = `/measures/days?measure=steps&from=1996-0${month}-01&to=2025-12-31`
        t.equal((await client.http('GET', path)).status, 200)
        order.push(name)
      }
      const reads = Array.from({ length: 5 }, (_, at) => read('app', app, 1 + at))
      await until(() => !mustWait(blocker) && waiting.size === 5, 'they wait')
      const own = read('alice', alice, 1)
      await until(() => !mustWait(blocker) && waiting.size === 6, 'it waits')
      measures.release(blocker)
      await Promise.all([...reads, own])
      measures.mustWait = found
      t.ok(order.indexOf('alice') <= 1, order.join())
      t.equal(new Set(waiting.values()).size, 2)
    })
  })

  await t.test('wait before they hold the times of their grid', async t => {
    const { accounts } = server.services
    const { measures } = accounts.openStore(accounts.find('alice')!)
    const createValues = measures.createValues.bind(measures)
    const sizes: boolean[] = []
    measures.createValues = (query, key) => {
      const run = createValues(query, key)
      sizes.push(run.isLarge)
      return run
    }
    for (const from of ['1996-01-01', '2025-12-01'])
      await alice.http('GET', `/measures/days?measure=steps&from=${from}&to=2025-12-31`)
    measures.createValues = createValues
    t.same(sizes, [true, false], 'before they have read anything')
  })

  await t.test('count the words of each day with what they are kept in', async t => {
    const days = 500
    await alice.do('streams.create', {
      id: 'teeth',
      name: 'Teeth',
      clientData: { 'coffer:measure': 'habit' }
    })
    const { event } = await alice.do('events.create', {
      streamIds: ['teeth'],
      type: 'series:boolean/bool',
      time: start
    })
    await alice.do('hfs.add', {
      id: event.id,
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points: Array.from({ length: days }, (_, at) => [at * 86_400, true])
    })
    const [runs, body] = await watchRuns('/measures/days?measure=habit&from=2020-01-01&to=2026-12-31')
    t.equal(body.days.length, days)
    // A map of words takes about as much memory as a number, and so does the word in it.
    t.ok(runs[0]!.held >= 2 * days, `${runs[0]!.held} of ${runs.length} values`)
  })

  await t.test('count the places of a week', async t => {
    const places = 500
    await alice.do('streams.create', {
      id: 'places',
      name: 'Places',
      clientData: { 'coffer:measure': 'visit' }
    })
    await alice.do(
      'callBatch',
      Array.from({ length: places }, (_, at) => ({
        method: 'events.create',
        params: {
          streamIds: ['places'],
          type: 'position/wgs84',
          time: start + at * 60,
          content: { latitude: at / 100, longitude: at / 100 }
        }
      }))
    )
    const [runs, body] = await watchRuns('/measures/week?to=2020-01-05')
    t.match(body.measures, [{ measure: 'visit', places: { count: places } }])
    t.ok(
      runs.some(({ held }) => held >= places),
      runs.map(({ held }) => held).join()
    )
  })

  await t.test('count the series of a source', async t => {
    const series = 200
    await alice.stream('scale')
    const calls = Array.from({ length: series }, (_, at) => ({
      method: 'events.create',
      params: { streamIds: ['scale'], type: 'series:mass/kg', time: start + at }
    }))
    const { results } = await alice.do('callBatch', calls)
    const fields = ['deltaTime', 'value']
    for (const { event } of results)
      await alice.do('hfs.add', { id: event.id, format: 'flatJSON', fields, points: [[0, 70]] })
    const { accounts } = server.services
    const { measures } = accounts.openStore(accounts.find('alice')!)
    const createValues = measures.createValues.bind(measures)
    let most = 0
    measures.createValues = (query, key) => {
      const run = createValues(query, key)
      let { held } = run
      const set = (value: number): void => {
        held = value
        most = Math.max(most, held)
      }
      // Also between the steps of a slice.
      return Object.defineProperty(run, 'held', { get: () => held, set })
    }
    const path = `/measures/sample?measure=weight&fromTime=${start}&toTime=${start + 86_400}&parts=1`
    t.match((await alice.http('GET', path)).body.samples, [{ count: series }])
    measures.createValues = createValues
    t.ok(most >= series / 2, `${most} values`)
  })

  await t.test('find where periods begin without a list of all streams, types and durations', async t => {
    const { accounts } = server.services
    const store = accounts.openStore(accounts.find('alice')!)
    const by = { created: start, createdBy: 'system', modified: start, modifiedBy: 'system' }
    const type = 'sleep/analysis'
    await store.write(() => {
      for (let index = 0; index < 100; index++) {
        const id = `night-${index}`
        store.streams.insert({ id, name: id, parentId: null, ...by })
        for (let span = 1; span < 10; span++) {
          const night = { type, time: start, duration: 2 ** span, content: { analysis: 'asleep' } }
          store.events.insert({ id: createId(), streamIds: [id], streamId: id, ...night, ...by })
        }
      }
    })
    const types = new Set(
      Array.from({ length: 50 }, (_, at) => {
        return {
          name: type,
          number: 1000 + at,
          seriesNumber: undefined,
          fields: [undefined],
          convert: Number
        }
      })
    )
    const sources = new Map(
      [...store.streams.list()].map(({ number: stream }) => [stream, { stream, types, series: [] }])
    )
    const before = measureHeap()
    let bytes = Infinity
    const run = new MeasureRun<boolean>(function* (reading) {
      const steps = findBeginning(reading, sources, { from: start + 1, gap: 7200 })
      for (let step = 0; step < 5000; step++) if (steps.next().done) return false
      bytes = measureHeap() - before
      yield
      return true
    })
    store.measures.next(run)
    t.ok(bytes < 1e6, `${bytes} bytes`)
  })

  await t.test('of a day do not begin with what follows each other before it', async t => {
    await alice.stream('tracker')
    const event = { streamIds: ['tracker'], type: 'activity/plain', duration: 3600 }
    const events = Array.from({ length: 240 }, (_, at) => ({ ...event, time: start + at * 3600 }))
    await alice.call(
      'callBatch',
      events.map(params => ({ method: 'events.create', params }))
    )
    const [[run], { days }] = await watchRuns('/measures/days?measure=activity&from=2020-01-10&to=2020-01-10')
    t.match(days, [{ day: '2020-01-10', value: 86_400, count: 24 }])
    // Two days around it, as they may belong together.
    t.ok(run!.held < 150, `${run!.held} values`)
  })

  await t.test('do not fill the memory together', async t => {
    await alice.stream('watch')
    const { event } = await alice.do('events.create', {
      streamIds: ['watch'],
      type: 'series:count/steps',
      time: start
    })
    for (let from = 0; from < hours; from += 20_000)
      await alice.do('hfs.add', {
        id: event.id,
        format: 'flatJSON',
        fields: ['deltaTime', 'value'],
        points: Array.from({ length: 20_000 }, (_, at) => [(from + at) * 3600, 100])
      })
    const read = async (day: number): Promise<number> => {
      const path = `/measures/days?measure=steps&from=2020-01-${10 + day}&to=2026-12-31`
      return (await alice.http('GET', path)).body.days.length
    }
    const limit = measureHeap() + 90e6
    let beyond = 0
    const timer = setInterval(() => {
      // What is in use takes less than all that was allocated.
      if (process.memoryUsage().heapUsed > limit) beyond = Math.max(beyond, measureHeap() - limit)
    }, 20)
    const found = await Promise.all(Array.from({ length: 15 }, (_, day) => read(day)))
    clearInterval(timer)
    t.same(
      found,
      found.map((_, day) => hours / 24 - 9 - day)
    )
    t.ok(beyond <= 0, `${beyond} bytes beyond the limit`)
  })

  await t.test('make room once their client is gone', async () => {
    const { accounts } = server.services
    const { measures } = accounts.openStore(accounts.find('alice')!)
    const createValues = measures.createValues.bind(measures)
    let run: MeasureRun<unknown> | undefined
    measures.createValues = (query, key) => (run = createValues(query, key))
    const url = `${server.url}/alice/measures/days?measure=steps&from=2020-01-09&to=2026-12-31`
    const request = get(url, { headers: { authorization: alice.token } }).on('error', () => undefined)
    await until(() => run?.isLarge === true, 'a large read')
    request.destroy()
    await until(() => run!.users === 0, 'nothing uses it')
    measures.createValues = createValues
  })
})
