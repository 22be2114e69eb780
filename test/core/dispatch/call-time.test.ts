/** Long calls that cannot be interrupted: those of one account do not fill a turn of the event loop. */
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import type { Outcome } from '../../../core/call/outcome.js'
import { openCoffer, type Client } from '../../support/coffer.js'

t.test('calls that need complete results, such as those of an assistant, yield to others', async t => {
  const coffer = await openCoffer(t)
  const { alice, server } = coffer
  const bob = await coffer.user('bobby')
  let ended = 0
  const call = async ({ token, username }: Client, ms: number): Promise<void> => {
    const credentials = { authorization: token, ip: '127.0.0.1', via: 'http' } as const
    const request = {
      user: username,
      method: 'test.spend',
      params: { ms },
      credentials,
      isWhole: true
    } as const
    t.ok((await server.dispatcher.call(request)).ok)
    if (username === 'alice') ended++
  }
  for (const client of [alice, bob]) await call(client, 0)
  await turn()

  const calls = Array.from({ length: 20 }, () => call(alice, 6))
  await call(bob, 6)
  await turn()
  t.ok(ended < 10, `${ended} of them before somebody else's`)
  await Promise.all(calls)
})

t.test('long calls of one account yield to others', async t => {
  const coffer = await openCoffer(t)
  const { alice, server } = coffer
  const bob = await coffer.user('bobby')
  const call = ({ token, username }: Client, ms: number): Promise<Outcome> | Outcome =>
    server.dispatcher.call({
      user: username,
      method: 'test.spend',
      params: { ms },
      credentials: { authorization: token, ip: '127.0.0.1', via: 'http' }
    })
  // Both files are open now.
  for (const client of [alice, bob]) await call(client, 0)
  await turn()

  const outcomes = Array.from({ length: 20 }, () => call(alice, 6))
  const waiting = outcomes.filter(outcome => outcome instanceof Promise)
  t.ok(waiting.length >= 18, `${waiting.length} wait`)
  t.notOk(call(bob, 6) instanceof Promise, 'somebody else is served at once')
  let ended = 0
  for (const outcome of waiting) void outcome.then(() => ended++)
  await turn()
  await turn()
  t.ok(ended < 10, `${ended} of them in two turns`)
  for (const outcome of outcomes) t.ok((await outcome).ok)
})
