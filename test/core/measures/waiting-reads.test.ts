/** Large reads of measures whose results are assembled in memory, one of an account at a time. */
import t from 'tap'
import { openCoffer, type Client } from '../../support/coffer.js'

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
  /** Reads as sockets, assistants and dashboards do, with a different range each time. */
  const read = async ({ token, username: user }: Client, day: number): Promise<boolean> => {
    const params = { measure: 'steps', from: `2020-01-${10 + day}`, to: '2022-03-31' }
    const credentials = { ip: '127.0.0.1', via: 'http', authorization: token } as const
    const request = { user, method: 'measures.days', params, credentials, isWhole: true } as const
    return (await server.dispatcher.call(request)).ok
  }
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
