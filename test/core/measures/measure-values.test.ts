/** Samples and days of all kinds of measures: what is counted, where, and how the answers are given. */
import t from 'tap'
import { measures } from '../../../schemas/measures/catalogue.js'
import { openCoffer, type Answer } from '../../support/coffer.js'

const hour = 3600
const day = 24 * hour
/** Midnight of 1 March 2026 in UTC. */
const midnight = Date.UTC(2026, 2, 1) / 1000

t.test('every kind of measure with two fields can be read', async t => {
  const { alice } = await openCoffer(t)
  const content = { latitude: 47, longitude: 8 }
  const kinds = ['level', 'sum', 'pair', 'place', 'text', 'category', 'span']
  const own = kinds.map(kind => ({
    id: `own-${kind}`,
    name: kind,
    icon: 'map-pin',
    hue: 10,
    kind,
    types: ['position/wgs84'],
    fields: ['latitude', 'longitude']
  }))
  await alice.do('profile.updatePrivate', { update: { 'coffer:measures': own } })
  const range = { fromTime: midnight, toTime: midnight + day, parts: 2 }
  const dates = { from: '2026-03-01', to: '2026-03-02' }
  for (const { id } of own) {
    await alice.do('streams.create', { id, name: id, clientData: { 'coffer:measure': id } })
    await alice.event({ streamIds: [id], type: 'position/wgs84', time: midnight + hour, content })
  }
  await alice.stream('phone')
  await alice.event({ streamIds: ['phone'], type: 'position/wgs84', time: midnight + hour, content })
  for (const measure of [...own, ...measures.filter(({ kind }) => kind === 'place')].map(({ id }) => id)) {
    const sample = await alice.call('measures.sample', { ...range, measure })
    const listed = await alice.call('measures.days', { ...dates, measure })
    t.notOk(sample.error ?? listed.error, measure)
  }
  const read = async (measure: string): Promise<Answer> =>
    (await alice.do('measures.days', { ...dates, measure })).days
  t.match(await read('position'), [{ day: '2026-03-01', value: 1, count: 1 }])
  t.match(await read('own-level'), [{ value: 47 }])
  t.match(await read('own-sum'), [{ value: 47 }])
  t.match(await read('own-pair'), [{ value: [47, 8] }])
  t.match(await read('own-place'), [{ value: 1 }])
})
