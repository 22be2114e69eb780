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

t.test('a sum that is spread over midnight', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['watch', 'phone']) await alice.stream(id)
  const steps = async (streamId: string, time: number, content: number, duration?: number) =>
    await alice.event({
      streamIds: [streamId],
      type: 'count/steps',
      time,
      content,
      ...(duration && { duration })
    })
  const sample = async (fromTime: number, toTime: number, parts: number): Promise<Answer> =>
    (await alice.do('measures.sample', { measure: 'steps', fromTime, toTime, parts })).samples
  await steps('watch', midnight + day - hour / 2, 60, hour)

  await t.test('counts where it begins, up to the end of the range', async t => {
    const last = { time: midnight + 23 * hour, count: 1, sum: 30, source: 'watch' }
    t.same(await sample(midnight, midnight + day, 24), [last])
    t.same(await sample(midnight, midnight + 2 * day, 1), [
      { time: midnight, count: 1, sum: 60, source: 'watch' }
    ])
  })

  await t.test('is no total of the next day', async t => {
    await alice.do('profile.updatePrivate', { update: { 'coffer:sources': { steps: ['watch', 'phone'] } } })
    for (let at = 2; at < 14; at++) await steps('phone', midnight + day + at * hour, 1000)
    const { days } = await alice.do('measures.days', {
      measure: 'steps',
      from: '2026-03-01',
      to: '2026-03-02'
    })
    t.match(days, [
      { value: 30, count: 1 },
      { value: 12_030, count: 12, source: 'watch' }
    ])
  })

  await t.test('is the same in parts of any length', async t => {
    await alice.stream('ring')
    await steps('ring', midnight - 20 * day + hour, 4000, 11 * hour)
    await steps('ring', midnight - 20 * day + 1.5 * hour, 100, 0.1 * hour)
    for (const parts of [1, 12, 100, 4000]) {
      const found = await sample(midnight - 20 * day, midnight - 19 * day, parts)
      const sum = found.reduce((total: number, each: Answer) => total + each.sum, 0)
      t.ok(Math.abs(sum - 4100) < 1e-6, `${sum} in ${parts} parts`)
      t.equal(
        found.reduce((total: number, each: Answer) => total + each.count, 0),
        2
      )
    }
  })
})

t.test('contents without all of their numbers', async t => {
  const { alice } = await openCoffer(t)
  const create = async (id: string, kind: string, fields: string[]): Promise<void> => {
    const own = { id, name: id, icon: 'map-pin', hue: 10, kind, types: ['position/wgs84'], fields }
    const { profile } = await alice.do('profile.getPrivate')
    const known = profile['coffer:measures'] ?? []
    await alice.do('profile.updatePrivate', { update: { 'coffer:measures': [...known, own] } })
    await alice.do('streams.create', { id, name: id, clientData: { 'coffer:measure': id } })
  }
  const add = async (streamId: string, time: number, values: object, duration?: number) =>
    await alice.event({
      streamIds: [streamId],
      type: 'position/wgs84',
      time,
      content: { latitude: 1, longitude: 2, ...values },
      ...(duration && { duration })
    })
  const days = async (measure: string): Promise<Answer> =>
    (await alice.do('measures.days', { measure, from: '2026-03-01', to: '2026-03-01' })).days

  await t.test('do not hide a sum', async t => {
    await create('speeds', 'sum', ['speed'])
    await add('speeds', midnight + 2 * hour, { speed: 1 })
    await add('speeds', midnight + 10 * hour, { speed: 100 }, 2 * hour)
    await add('speeds', midnight + 11.5 * hour, {})
    t.match(await days('speeds'), [{ value: 101, count: 2 }])
  })

  await t.test('are in pairs with either number', async t => {
    await create('climb', 'pair', ['altitude', 'speed'])
    await add('climb', midnight, { speed: 4 })
    const found = [{ value: [null, 4], min: [null, 4], max: [null, 4], count: 1 }]
    t.match(await days('climb'), found)
    await add('climb', midnight + 1, { altitude: 400, speed: 6 })
    t.match(await days('climb'), [{ value: [400, 5], count: 2 }])
  })

  await t.test('numbers that are too large are left out', async t => {
    await create('huge', 'sum', ['speed'])
    await create('high', 'level', ['speed'])
    for (const id of ['huge', 'high'])
      for (const at of [0, 1]) await add(id, midnight + at, { speed: 1.5e308 })
    t.same(await days('huge'), [{ day: '2026-03-01', count: 2, source: 'huge' }])
    t.same(await days('high'), [{ day: '2026-03-01', min: 1.5e308, max: 1.5e308, count: 2, source: 'high' }])
    const range = { measure: 'huge', fromTime: midnight, toTime: midnight + day, parts: 1 }
    t.same((await alice.do('measures.sample', range)).samples, [{ time: midnight, count: 2, source: 'huge' }])
  })
})

t.test('own measures are returned without other properties, and units are types', async t => {
  const { alice } = await openCoffer(t)
  const own = { id: 'rex', name: 'Rex', icon: 'dog', hue: 30, kind: 'level', types: ['mass/kg'] }
  const unit = { shown: 'mass/kg', offered: [] }
  const stored = [{ ...own, secret: 1, unit: { ...unit, other: 2 } }]
  await alice.do('profile.updatePrivate', { update: { 'coffer:measures': stored } })
  t.same((await alice.do('measures.get', { ids: ['rex'] })).measures, [{ ...own, unit }])
  const dates = { measure: 'weight', from: '2026-03-01', to: '2026-03-01' }
  for (const wrong of ['mass/lb/x', 'series:mass/lb'])
    t.match(await alice.call('measures.days', { ...dates, unit: wrong }), {
      error: { id: 'invalid-parameters-format' }
    })
})

t.test('the order of hidden streams, and of other measures, does not change validators', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['phone', 'hidden']) await alice.stream(id)
  const guest = await alice.grant('read', 'phone')
  const getTag = async (): Promise<string | null> =>
    (await guest.http('GET', '/measures/facts?measures=steps')).headers.get('etag')
  const setOrder = async (order: object): Promise<Answer> =>
    await alice.do('profile.updatePrivate', { update: { 'coffer:sources': order } })
  const before = await getTag()
  await setOrder({ steps: ['hidden'], weight: ['phone'] })
  t.equal(await getTag(), before)
  await setOrder({ steps: ['phone', 'hidden'] })
  t.not(await getTag(), before)
})

t.test('times beyond any calendar are refused for sums', async t => {
  const { alice } = await openCoffer(t)
  for (const fromTime of [1e24, -1e24, 8.7e12]) {
    const params = {
      measure: 'steps',
      fromTime,
      toTime: fromTime + Math.max(1, Math.abs(fromTime) * 1e-15),
      parts: 2
    }
    const { error } = await alice.call('measures.sample', params)
    t.match(error, { id: 'invalid-parameters-format', data: [{ path: '#/fromTime' }] }, String(fromTime))
  }
})

t.test('changes of the tree that do not matter do not restart a read', async t => {
  const { alice } = await openCoffer(t)
  for (let at = 0; at < 300; at++) {
    await alice.stream(`s${at}`)
    await alice.event({
      streamIds: [`s${at}`],
      type: 'count/steps',
      content: 1,
      time: 1e9 + at,
      duration: 10
    })
  }
  const stop = new AbortController()
  const renaming = (async () => {
    for (let at = 0; !stop.signal.aborted; at++)
      await alice.do('streams.update', { id: `s${at % 300}`, update: { name: `name ${at}` } })
  })()
  const params = { measure: 'steps', fromTime: 1e9, toTime: 1e9 + 1000, parts: 1 }
  for (let at = 0; at < 5; at++)
    t.match((await alice.do('measures.sample', params)).samples, [{ count: Number }])
  stop.abort()
  await renaming
})
