/** Reads of measures that hold many values: one of an account at a time. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { MeasureRun, type MeasureStore } from '../../../storage/measures/reading.js'
import { openCoffer, type Answer } from '../../support/coffer.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const hours = 60_000
const start = Date.UTC(2020, 0, 1) / 1000

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
      t.notOk(measures.mustWait(run), 'small before it begins')
      run.next({} as MeasureStore)
      return run
    }
    const [small, first, second] = [begin(10), begin(50_000), begin(50_000)]
    t.notOk(measures.mustWait(first))
    t.ok(measures.mustWait(second))
    t.notOk(measures.mustWait(small), 'small ones do not wait')
    // The days of decades take megabytes while they are combined, and there may be hundreds of such reads.
    t.ok(measures.mustWait(begin(2000)))
    t.notOk(measures.mustWait(first), 'the first one goes on')
    measures.release(second)
    t.ok(measures.mustWait(second), 'not its turn')
    measures.release(first)
    t.notOk(measures.mustWait(second))
    t.ok(measures.mustWait(first))
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
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    let most = 0
    const timer = setInterval(() => {
      collectGarbage()
      most = Math.max(most, process.memoryUsage().heapUsed - before)
    }, 50)
    const found = await Promise.all(Array.from({ length: 15 }, (_, day) => read(day)))
    clearInterval(timer)
    t.same(
      found,
      found.map((_, day) => hours / 24 - 9 - day)
    )
    t.ok(most > 0 && most < 90e6, `${most} bytes`)
  })
})
