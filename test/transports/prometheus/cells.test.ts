/** What a query over very many days and cells keeps in memory. */
import t from 'tap'
import { findMeasure } from '../../../schemas/measures/catalogue.js'
import { CellReader } from '../../../transports/prometheus/cells.js'
import { UserCalls } from '../../../transports/user-calls.js'
import { coffer } from '../../support/coffer.js'
import { measureHeap } from '../../support/heap.js'
import { inRotation } from '../../support/rotation.js'

const day = 86_400
/** Midnight of 5 January 2026 in UTC. */
const end = Date.UTC(2026, 0, 5) / 1000
const days = 29 * 365

t.test('many days and cells', async t => {
  const { alice } = await coffer(t)
  const id = 'scale'.padEnd(1024, '-')
  await alice.stream(id)
  const type = 'series:mass/kg'
  const { event } = await alice.do('events.create', { streamIds: [id], type, time: end - days * day })
  await alice.do('hfs.add', {
    id: event.id,
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points: Array.from({ length: days }, (_, at) => [at * day + 60, 70 + (at % 9)])
  })
  const { dispatcher } = alice.service.server
  const credentials = { ip: '127.0.0.1', via: 'http', authorization: alice.token } as const
  const reader = new CellReader(new UserCalls(dispatcher, 'alice', credentials), 'UTC')
  const series = { labels: {}, measure: findMeasure('weight')! }
  const test = inRotation(t, 2)
  const readDays = async (at: number): Promise<number> =>
    (await reader.readDays({ ...series, shape: 'day' }, end - (days - at) * day, end)).length

  await test('take little memory, however long the id of their stream is', async t => {
    const before = measureHeap()
    for (let at = 0; at < 6; at++) t.equal(await readDays(at), days - at)
    const withDays = measureHeap()
    t.ok(withDays - before < 30e6, `${withDays - before} bytes`)
    for (let at = 0; at < 12; at++) {
      const range = { from: end - (4000 + at) * day, width: day, count: 4000 }
      t.equal((await reader.read({ ...series, shape: 'merged' }, range, false)).length, 4000)
    }
    const after = measureHeap()
    t.ok(after - withDays < 30e6, `${after - withDays} bytes`)
  })

  await test('take little memory, also of many streams', async t => {
    const streams = Array.from({ length: 1000 }, (_, at) => `${at}`.padEnd(1024, '-'))
    const calls = streams.map(stream => [
      { method: 'streams.create', params: { id: stream, name: stream.slice(0, 9) } },
      {
        method: 'events.create',
        params: { streamIds: [stream], type: 'frequency/bpm', content: 60, time: end - 1 }
      }
    ])
    await alice.do('callBatch', calls.flat())
    const before = measureHeap()
    const rates = {
      labels: {},
      measure: findMeasure('heart-rate')!,
      shape: 'source',
      streamId: streams[7]!
    } as const
    for (let at = 0; at < 20; at++) {
      const range = { from: end - day - at, width: day + at, count: 1 }
      t.equal((await reader.read(rates, range, false)).length, 1)
    }
    const after = measureHeap()
    t.ok(after - before < 18e6, `${after - before} bytes`)
  })

  await test('are read up to a number in all', async t => {
    const readMore = async (): Promise<void> => {
      for (let at = 6; at < 60; at++) await readDays(at)
    }
    const refused = { errorType: 'execution', message: /reads more than 500000 steps or days/ }
    await t.rejects(readMore(), refused)
    t.equal(await readDays(6), days - 6, 'what has been read is still known')
  })
})
