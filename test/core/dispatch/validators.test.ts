/** Validators while a change in very many streams is evaluated. (docs/spec/conventions.md#unchanged-answers) */
import t from 'tap'
import type { Outcome } from '../../../core/call/outcome.js'
import type { Change, Changes } from '../../../core/changes.js'
import { openCoffer } from '../../support/coffer.js'
import { until } from '../../support/socket.js'

/** Paths so deep that evaluating all of them takes far longer than a call may wait. */
const count = 1000
const depth = 500

t.test('a call does not wait while a long change is evaluated', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  await alice.stream('other')
  await alice.event()
  const reader = await alice.grant('read', 'diary')
  const ask = async (): Promise<string | undefined> => {
    const credentials = { ip: '127.0.0.1', via: 'http', authorization: reader.token } as const
    const request = { user: 'alice', method: 'events.get', params: {}, credentials }
    // Long calls of an account wait for their turn.
    const outcome = (await server.dispatcher.call(request)) as Outcome & { validator?: string }
    t.ok(outcome.ok)
    return outcome.validator
  }
  const publish = (places: Change['places']): void => {
    const change: Change = { kind: 'streams', places, accessIds: [] }
    server.services.bus.publish(server.services.accounts.find('alice')!, {
      isEmpty: false,
      list: () => [change]
    } as unknown as Changes)
  }
  const first = await ask()
  t.match(first, /^[\w.-]+$/)
  const above = Array.from({ length: depth }, (_, n) => `gone ${n}`)
  const deep = Array.from({ length: count }, (_, n) => [`away ${n}`, ...above])
  publish([deep])
  t.equal(await ask(), undefined, 'no validator for now')
  await until(async () => (await ask()) !== undefined, 'a validator')
  t.equal(await ask(), first, 'what it cannot see changes nothing for it')
  publish([deep, [['diary']]])
  t.equal(await ask(), undefined)
  await until(async () => (await ask()) !== undefined, 'another validator')
  t.not(await ask(), first, 'what it can see does')
})
