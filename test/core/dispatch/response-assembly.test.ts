/** Results that are assembled in memory: those of other accounts do not wait for what takes long. */
import t from 'tap'
import { ResponseAssembly } from '../../../core/dispatch/response-assembly.js'
import { openCoffer, type Client } from '../../support/coffer.js'

const start = Date.UTC(2020, 0, 1) / 1000

t.test('short results that take long keep no other account waiting', async t => {
  const coffer = await openCoffer(t)
  const { alice, server } = coffer
  const busy: Client[] = []
  for (let index = 0; index < 4; index++) {
    const client = await coffer.user(`busy-${index}`)
    await client.stream('watch')
    const { event } = await client.do('events.create', {
      streamIds: ['watch'],
      type: 'series:count/steps',
      time: start
    })
    const points = Array.from({ length: 20_000 }, (_, at) => [at * 3600, 100])
    await client.do('hfs.add', { id: event.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    busy.push(client)
  }
  await alice.stream('diary')
  const event = { streamIds: ['diary'], type: 'note/txt', content: 'x'.repeat(500), time: start }
  await alice.do(
    'callBatch',
    Array.from({ length: 1000 }, () => ({ method: 'events.create', params: event }))
  )
  const ended: string[] = []
  const read = async ({ token, username: user }: Client, method: string, params: object): Promise<void> => {
    const credentials = { ip: '127.0.0.1', via: 'http', authorization: token } as const
    const outcome = await server.dispatcher.call({ user, method, params, credentials, isWhole: true })
    t.ok(outcome.ok && outcome.members.length > 10_000, user)
    ended.push(user)
  }
  const days = { measure: 'steps', from: '2020-01-01', to: '2022-03-31' }
  const reads = busy.map(client => read(client, 'measures.days', days))
  await Promise.all([...reads, read(alice, 'events.get', { limit: 1000, fromTime: 0, toTime: 2e9 })])
  t.equal(ended[0], 'alice', ended.join())
})

t.test('long results are assembled four at a time, and one per account', async t => {
  const assembly = new ResponseAssembly(1e9)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const assemble = (account: string, length: number): Promise<void> =>
    assembly.run({ account, access: '' }, length, async longest => {
      if (longest < 10e6) return false
      begun.push(account)
      await new Promise<void>(resolve => ends.push(resolve))
      return true
    })
  const names = ['a', 'a', 'b', 'c', 'd', 'e']
  // Some are long with their first page.
  const all = names.map((name, at) => assemble(name, at % 2 === 0 ? 1000 : 5e6))
  await new Promise(setImmediate)
  t.equal(new Set(begun).size, 4, begun.join())
  while (ends.length > 0) {
    ends.shift()!()
    await new Promise(setImmediate)
  }
  await Promise.all(all)
  t.same(begun.toSorted(), names)
  t.equal(assembly.waitForRoom('a'), undefined)
})
