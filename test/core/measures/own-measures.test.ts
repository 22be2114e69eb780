/** The user's own measures, marks and units: what is malformed or too long. */
import t from 'tap'
import { openCoffer } from '../../support/coffer.js'

const midnight = Date.UTC(2026, 2, 1) / 1000
const range = { from: '2026-03-01', to: '2026-03-01' }

t.test('own measures are returned without unknown properties', async t => {
  const { alice } = await openCoffer(t)
  const unit = { shown: 'mass/kg', offered: ['mass/lb'] }
  const own = { id: 'rex', name: 'Rex', icon: 'dog', hue: 10, kind: 'level', types: ['mass/kg'], unit }
  const stored = { ...own, secret: 'x', unit: { ...unit, more: 1 } }
  await alice.do('profile.updatePrivate', { update: { 'coffer:measures': [stored] } })
  t.same((await alice.do('measures.get', { ids: ['rex'] })).measures, [own])
})

t.test('long texts are not words', async t => {
  const { alice } = await openCoffer(t)
  const own = {
    id: 'mood-words',
    name: 'Mood',
    icon: 'smile',
    hue: 10,
    kind: 'category',
    types: ['note/txt']
  }
  await alice.do('profile.updatePrivate', { update: { 'coffer:measures': [own] } })
  await alice.do('streams.create', { id: 'm', name: 'm', clientData: { 'coffer:measure': 'mood-words' } })
  const note = async (content: string): Promise<void> =>
    void (await alice.event({ streamIds: ['m'], type: 'note/txt', time: midnight, content }))
  for (const content of ['x'.repeat(256), 'x'.repeat(256), 'x'.repeat(256), 'y'.repeat(255), '"'.repeat(255)])
    await note(content)
  await note('"'.repeat(255))
  t.match((await alice.do('measures.days', { measure: 'mood-words', ...range })).days, [
    { value: '"'.repeat(255), count: 3 }
  ])
})

t.test('an empty mark is none', async t => {
  const { alice } = await openCoffer(t)
  await alice.do('streams.create', { id: 'a', name: 'a', clientData: { 'coffer:measure': '' } })
  await alice.event({ streamIds: ['a'], type: 'mass/kg', content: 70, time: midnight })
  t.match((await alice.do('measures.facts')).facts, [{ measure: 'weight', count: 1 }])
})

t.test('units are types', async t => {
  const { alice } = await openCoffer(t)
  for (const unit of ['mass/lb/x', 'series:mass/lb', 'mass', 'mass/', '/lb', ''])
    for (const [method, params] of [
      ['measures.days', range],
      ['measures.sample', { fromTime: 0, toTime: 1, parts: 1 }]
    ] as const) {
      const { error } = await alice.call(method, { measure: 'weight', unit, ...params })
      t.equal(error?.id, 'invalid-parameters-format', `${method} in ${JSON.stringify(unit)}`)
    }
})

t.test('amounts are given in their own currency if they cannot be converted', async t => {
  const { alice } = await openCoffer(t)
  const mark = { clientData: { 'coffer:measure': 'spending' } }
  await alice.do('streams.create', { id: 'purse', name: 'purse', ...mark })
  await alice.event({ streamIds: ['purse'], type: 'money/chf', content: 12, time: midnight })
  const { facts } = await alice.do('measures.facts', { measures: ['spending'] })
  t.match(facts, [{ latest: { content: 12, value: 12, unit: 'money/chf' } }])
})
