/** Skipping many events takes many turns, so that others are served meanwhile. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'

const [batches, batchSize] = [40, 1000]

t.test('skipping many events of a type blocks nobody', async t => {
  const { alice } = await coffer(t)
  await alice.stream('weight')
  for (let batch = 0; batch < batches; batch++)
    await alice.do(
      'callBatch',
      Array.from({ length: batchSize }, (_, content) => ({
        method: 'events.create',
        params: { streamIds: ['weight'], type: 'mass/kg', content, time: 1e9 }
      }))
    )
  const reader = await alice.grant('read', 'weight', { type: 'app' })
  for (const query of ['types[]=mass/kg', 'types[]=mass/*&types[]=note/*&sortAscending=true'])
    await assertTakesLessThan(t, 25, () =>
      longestTurn(async () => {
        const skip = batches * batchSize - 5
        const { body } = await reader.http('GET', `/events?${query}&skip=${skip}`)
        t.equal(body.events.length, 5)
      })
    )
})
