/** Marks of streams that are longer than any id of a measure: thousands of streams may inherit one. */
import t from 'tap'
import { openCoffer } from '../../support/coffer.js'

const midnight = Date.UTC(2026, 2, 1) / 1000
const range = { measure: 'weight', fromTime: midnight, toTime: midnight + 86_400, parts: 1 }

t.test('a long mark that many streams inherit is one of no measure', async t => {
  const { alice } = await openCoffer(t)
  const mark = 'x'.repeat(900_000)
  await alice.do('streams.create', { id: 'top', name: 'top', clientData: { 'coffer:measure': mark } })
  for (let at = 0; at < 620; at++) await alice.stream(`below${at}`, 'top')
  await alice.stream('scale')
  for (const [streamId, content] of [
    ['below0', 70],
    ['scale', 80]
  ] as const)
    await alice.event({ streamIds: [streamId], type: 'mass/kg', content, time: midnight })
  t.match(await alice.call('measures.sample', range), { samples: [{ count: 1, mean: 80 }] })
  t.match(await alice.call('measures.facts', { measures: ['weight'] }), { facts: [{ count: 1 }] })
})

t.test('reads in many streams are shared, and give what each of them may read', async t => {
  const { alice } = await openCoffer(t)
  const ids = Array.from({ length: 300 }, (_, at) => `stream${at}`)
  for (const [at, id] of ids.entries()) {
    await alice.stream(id)
    await alice.event({ streamIds: [id], type: 'mass/kg', content: at + 1, time: midnight })
  }
  const [all, half] = await Promise.all(
    [ids, ids.slice(0, 150)].map(
      async streamIds =>
        await alice.grantAll(streamIds.map(streamId => ({ streamId, level: 'read' as const })))
    )
  )
  for (const [reader, counted] of [
    [all!, 300],
    [half!, 150],
    [all!, 300]
  ] as const) {
    const { facts } = await reader.do('measures.facts', { measures: ['weight'] })
    t.match(facts, [{ count: counted }])
  }
})
