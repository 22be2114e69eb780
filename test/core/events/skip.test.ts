/** Skipping many events takes many turns, so that others are served meanwhile. */
import t from 'tap'
import { createId } from '../../../core/ids.js'
import { openCoffer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'

const count = 40_000

t.test('skipping many events of a type blocks nobody', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('weight')
  const event = await alice.event({ streamIds: ['weight'], type: 'mass/kg', content: 70, time: 1e9 })
  const { accounts } = server.services
  const store = accounts.openStore(accounts.find('alice')!)
  await store.write(() => {
    for (let at = 1; at < count; at++) store.events.insert({ ...event, id: createId() })
  })
  const reader = await alice.grant('read', 'weight', { type: 'app' })
  for (const query of ['types[]=mass/kg', 'types[]=mass/*&types[]=note/*&sortAscending=true'])
    await assertTakesLessThan(t, 25, () =>
      longestTurn(async () => {
        const skip = count - 5
        const { body } = await reader.http('GET', `/events?${query}&skip=${skip}`)
        t.equal(body.events.length, 5)
      })
    )
})
