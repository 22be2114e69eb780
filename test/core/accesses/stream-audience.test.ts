/**
 * Which other accesses see the streams that an app requests, in an account with any number of accesses.
 * (docs/spec/app-authorization.md)
 */
import t from 'tap'
import type { Call } from '../../../core/call/method.js'
import { findAudiences } from '../../../core/accesses/stream-audience.js'
import { openCoffer } from '../../support/coffer.js'

const many = 450

t.test('many accesses are scanned in slices, so that other calls can run', async t => {
  const { alice, clock, server } = await openCoffer(t)
  await alice.stream('home')
  await alice.stream('diary', 'home')
  await alice.stream('page', 'diary')
  const app = await alice.grant('manage', 'diary', { type: 'app', name: 'own-app' })
  for (let n = 0; n < many; n++)
    await alice.grant('read', n % 2 === 0 ? 'page' : 'elsewhere', { name: `share ${1000 + n}` })
  await alice.grant('contribute', '*', { name: 'all', type: 'app' })
  await alice.grant('read', 'home', { name: 'home' })
  const { services } = server
  const account = services.accounts.find('alice')!
  const call = { services, account, now: clock.now() } as unknown as Call
  const requested = ['page', 'diary', '*'].map(streamId => ({ streamId, level: 'read' as const }))
  const steps = findAudiences(call, requested, app.access)
  let count = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  t.equal(count, many + 4, 'one by one')
  const [page, diary, ...others] = step.value
  t.match(page, {
    streamId: 'page',
    path: [{ id: 'home' }, { id: 'diary' }, { id: 'page' }],
    more: many / 2 - 18
  })
  t.same(
    page!.accesses.map(({ name }) => name),
    ['all', 'home', ...Array.from({ length: 18 }, (_, n) => `share ${1000 + 2 * n}`)]
  )
  t.same(diary!.accesses, [
    { type: 'app', name: 'all', level: 'contribute' },
    { type: 'shared', name: 'home', level: 'read' }
  ])
  t.equal(diary!.more, 0)
  t.same(others, [])
})
