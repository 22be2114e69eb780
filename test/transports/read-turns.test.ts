/** Reads that take long let those of other accounts run. */
import t from 'tap'
import { ReadTurns } from '../../transports/read-turns.js'
import { UserCalls } from '../../transports/user-calls.js'
import { openCoffer, type Client } from '../support/coffer.js'

t.test('reads that take long do not keep other accounts waiting', async t => {
  const service = await openCoffer(t)
  const { clock, server } = service
  const turns = new ReadTurns(server.dispatcher, 'events.get')
  const { signal } = new AbortController()
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const start = (client: Client): Promise<unknown> => {
    const { token, username: user } = client
    const credentials = { ip: '127.0.0.1', via: 'http', authorization: token } as const
    const calls = new UserCalls(server.dispatcher, user, credentials, signal)
    return turns.run({ calls, credentials, signal, user }, async () => {
      begun.push(user)
      await new Promise<void>(resolve => ends.set(user, resolve))
      return await calls.call('getAccessInfo', {})
    })
  }
  const names = Array.from({ length: 13 }, (_, at) => `user-${at}`)
  const clients: Client[] = []
  for (const name of names) clients.push(await service.user(name))
  const reads = clients.slice(0, 4).map(start)
  await new Promise(setImmediate)
  clock.advance(1)
  reads.push(start(clients[4]!))
  await new Promise(setImmediate)
  t.same(begun, names.slice(0, 4), 'four at a time')
  clock.advance(1)
  await new Promise(setImmediate)
  t.same(begun, names.slice(0, 5), 'a fifth once they take long')
  reads.push(...clients.slice(5).map(start))
  await new Promise(setImmediate)
  t.same(begun, names.slice(0, 5), 'others wait')
  clock.advance(1)
  await new Promise(setImmediate)
  t.same(begun, names.slice(0, 8), 'for a second, and while as many take long')
  clock.advance(8)
  await new Promise(setImmediate)
  t.same(begun, names.slice(0, 8), 'none is stopped within ten seconds')
  clock.advance(1)
  await new Promise(setImmediate)
  t.same(begun, names.slice(0, 9))
  clock.advance(1)
  await new Promise(setImmediate)
  t.same(begun, names.slice(0, 12), 'at most')
  const settling = Promise.allSettled(reads)
  for (const end of ends.values()) end()
  await new Promise(setImmediate)
  t.same(begun, names)
  for (const end of ends.values()) end()
  const settled = await settling
  t.same(
    settled.map(({ status }) => status),
    names.map((_, at) => (at < 4 ? 'rejected' : 'fulfilled')),
    'in place of those that have taken longest'
  )
  t.match(settled[0], { reason: { id: 'api-unavailable', details: { retryAfter: 5 } } })
})
