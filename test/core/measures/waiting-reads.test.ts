/** Large reads of measures whose results are assembled in memory, one of an account at a time. */
import t from 'tap'
import { openCoffer, type Client } from '../../support/coffer.js'
import { measureHeap } from '../../support/heap.js'

const hours = 20_000
const start = Date.UTC(2020, 0, 1) / 1000

t.test('a read that waits to be assembled keeps no other waiting', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('watch')
  const { event } = await alice.do('events.create', {
    streamIds: ['watch'],
    type: 'series:count/steps',
    time: start
  })
  const points = Array.from({ length: hours }, (_, at) => [at * 3600, 100])
  await alice.do('hfs.add', { id: event.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  const accesses = [alice, await alice.grant('read', 'watch'), await alice.grant('read', 'watch')]
  /** Makes a call as sockets, assistants and dashboards do. */
  const call = async (
    { token, username: user }: Client,
    method: string,
    params: object
  ): Promise<boolean> => {
    const credentials = { ip: '127.0.0.1', via: 'http', authorization: token } as const
    return (await server.dispatcher.call({ user, method, params, credentials, isWhole: true })).ok
  }
  /** Reads a different range each time. */
  const read = (client: Client, day: number): Promise<boolean> =>
    call(client, 'measures.days', { measure: 'steps', from: `2020-01-${10 + day}`, to: '2022-03-31' })

  await t.test('although two calls share one that is read before', async t => {
    const toTime = start + hours * 3600
    const sample = { measure: 'steps', fromTime: start, toTime, parts: 4000 }
    const before = performance.now()
    const [alices, app] = [accesses[0]!, accesses[1]!]
    const found = await Promise.all([
      call(alices, 'measures.sample', sample),
      call(app, 'measures.sample', { ...sample, fromTime: start + 3600 }),
      call(alices, 'measures.sample', sample)
    ])
    t.same(found, [true, true, true])
    // The second call of the first access came after that of the other one, which waited ten seconds for it.
    const seconds = (performance.now() - before) / 1000
    t.ok(seconds < 9, `${seconds} seconds`)
  })

  await t.test('nor holds what others have read', async t => {
    const sample = { measure: 'steps', fromTime: start, toTime: start + hours * 3600, parts: 4000 }
    const readAll = (): Promise<boolean>[] =>
      Array.from({ length: 8 }, (_, at) =>
        call(alice, 'measures.sample', { ...sample, fromTime: start + at * 3600 })
      )
    const before = measureHeap()
    const [first, second] = [readAll(), readAll()]
    await first.at(-1)
    // Each holds 3 MB, and eight of the second ones wait.
    const bytes = measureHeap() - before
    t.ok(bytes < 12_000_000, `${bytes} bytes`)
    t.same(new Set(await Promise.all([...first, ...second])), new Set([true]))
  })

  const before = performance.now()
  const found = await Promise.all(
    accesses.map(async access => [await read(access, 0), await read(access, 1), await read(access, 2)])
  )
  t.same(
    found.flat(),
    Array.from({ length: 9 }, () => true)
  )
  // Each waited for ten seconds for the one that was to be assembled after it.
  const seconds = (performance.now() - before) / 1000
  t.ok(seconds < 9, `${seconds} seconds`)
})
