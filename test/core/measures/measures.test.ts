/** Rules of measures that the model test does not reach: periods, words, days with other lengths, order, permissions. */
import t from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'

const zurich = 'Europe/Zurich'
const hour = 3600
/** Midnight of 28 March 2026 in Zurich; clocks are set forward in the next night. */
const saturday = Date.UTC(2026, 2, 27, 23) / 1000

async function days(client: Client, measure: string, more: object = {}): Promise<Answer[]> {
  const range = { from: '2026-03-27', to: '2026-04-02', zone: zurich }
  return (await client.do('measures.days', { measure, ...range, ...more })).days
}

t.test('nights', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['watch', 'ring']) await alice.stream(id)
  const sleep = async (streamId: string, from: number, hours: number, analysis: string) =>
    await alice.event({
      streamIds: [streamId],
      type: 'sleep/analysis',
      time: saturday + from * hour,
      duration: hours * hour,
      content: { analysis }
    })

  await t.test(
    'stages are not added to the night they lie in, and count on the day on which it ends',
    async t => {
      await sleep('watch', 22, 9, 'inBed')
      await sleep('watch', 22.5, 1, 'asleep')
      await sleep('watch', 23.5, 0.5, 'awake')
      await sleep('watch', 24, 6, 'asleep')
      await sleep('watch', 25, 1, 'asleep')
      // From 22:00 on Saturday to 8:00 on Sunday: an hour less than the clock shows.
      t.same(await days(alice, 'sleep'), [{ day: '2026-03-29', value: 7 * hour, count: 5, source: 'watch' }])
    }
  )

  await t.test('overlapping nights of another source are omitted, others are added', async t => {
    await sleep('ring', 23, 8, 'asleep')
    await sleep('ring', 37, 1, 'asleep')
    await alice.do('profile.updatePrivate', { update: { 'coffer:sources': { sleep: ['watch'] } } })
    t.same(await days(alice, 'sleep'), [{ day: '2026-03-29', value: 8 * hour, count: 6, source: 'watch' }])
    await alice.do('profile.updatePrivate', { update: { 'coffer:sources': { sleep: ['ring'] } } })
    t.same(await days(alice, 'sleep'), [{ day: '2026-03-29', value: 9 * hour, count: 2, source: 'ring' }])
  })

  await t.test('time in bed counts without sleep, and what has not ended does not', async t => {
    await sleep('watch', 70, 8, 'inBed')
    await alice.event({
      streamIds: ['watch'],
      type: 'sleep/analysis',
      time: saturday + 90 * hour,
      duration: null,
      content: {}
    })
    t.match((await days(alice, 'sleep')).at(-1), { day: '2026-03-31', value: 8 * hour, count: 1 })
  })
})

t.test('sums on days with 23 and 25 hours', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['phone', 'watch', 'hand']) await alice.stream(id)
  const steps = async (streamId: string, time: number, content: number, duration?: number) =>
    await alice.event({
      streamIds: [streamId],
      type: 'count/steps',
      time,
      content,
      ...(duration && { duration })
    })
  const sunday = saturday + 24 * hour
  await alice.do('profile.updatePrivate', {
    update: { 'coffer:sources': { steps: ['watch', 'phone', 'hand'] } }
  })

  await t.test('slots are filled in order, hour by hour', async t => {
    await steps('watch', sunday + hour, 100)
    await steps('watch', sunday + 3 * hour, 200)
    await steps('phone', sunday + 1.5 * hour, 1000)
    await steps('phone', sunday + 5 * hour, 30)
    await steps('hand', sunday + 12 * hour, 9000)
    // The last hour of a day of 23 hours.
    await steps('phone', sunday + 22.9 * hour, 4)
    t.match(await days(alice, 'steps'), [{ day: '2026-03-29', value: 334, count: 4, source: 'watch' }])
  })

  await t.test('a daily total stands alone', async t => {
    const monday = sunday + 23 * hour
    await steps('hand', monday, 8000, 24 * hour)
    t.match((await days(alice, 'steps')).at(-1), { day: '2026-03-30', value: 8000, count: 1, source: 'hand' })
    await steps('phone', monday + 8 * hour, 10)
    await steps('phone', monday + 9 * hour, 20)
    t.match((await days(alice, 'steps')).at(-1), { day: '2026-03-30', value: 30, count: 2, source: 'phone' })
  })

  await t.test('a duration is divided at midnight', async t => {
    const wednesday = sunday + 71 * hour
    await steps('watch', wednesday - hour, 400, 2 * hour)
    const rows = await days(alice, 'steps')
    t.same(
      rows.slice(-2).map(({ day, value }: Answer) => [day, value]),
      [
        ['2026-03-31', 200],
        ['2026-04-01', 200]
      ]
    )
  })

  await t.test('autumn', async t => {
    const october = Date.UTC(2026, 9, 24, 22) / 1000
    await steps('watch', october + 24.5 * hour, 7)
    const range = { from: '2026-10-24', to: '2026-10-26' }
    t.match(await days(alice, 'steps', range), [{ day: '2026-10-25', value: 7 }])
    t.match(await days(alice, 'steps', { ...range, zone: 'UTC' }), [{ day: '2026-10-25', value: 7 }])
    t.match(await days(alice, 'steps', { ...range, zone: 'Asia/Tokyo' }), [{ day: '2026-10-26', value: 7 }])
  })
})

t.test('words, pairs and own measures', async t => {
  const { alice } = await openCoffer(t)
  await alice.do('streams.create', {
    id: 'appetite',
    name: 'a',
    clientData: { 'coffer:measure': 'appetite-words' }
  })
  const own = {
    id: 'appetite-words',
    name: 'Appetite',
    icon: 'utensils',
    hue: 10,
    kind: 'category',
    types: ['symptoms/appetite-changes']
  }
  await alice.do('profile.updatePrivate', { update: { 'coffer:measures': [own] } })
  for (const [at, content] of ['increased', 'noChange', 'noChange', 'decreased', 'decreased'].entries())
    await alice.event({
      streamIds: ['appetite'],
      type: 'symptoms/appetite-changes',
      time: saturday + at,
      content
    })
  t.same(await days(alice, own.id), [{ day: '2026-03-28', value: 'decreased', count: 5, source: 'appetite' }])
  t.match((await alice.do('measures.facts', { measures: [own.id] })).facts, [
    { latest: { content: 'decreased' } }
  ])
  const app = await alice.grant('read', '*')
  t.match(await app.call('measures.days', { measure: own.id, from: '2026-03-27', to: '2026-03-28' }), {
    error: { id: 'unknown-referenced-resource' }
  })

  await alice.stream('cuff')
  for (const [systolic, diastolic] of [
    [120, 80],
    [130, 90]
  ])
    await alice.event({
      streamIds: ['cuff'],
      type: 'blood-pressure/mmhg-bpm',
      time: saturday,
      content: { systolic, diastolic }
    })
  t.same(await days(alice, 'blood-pressure'), [
    { day: '2026-03-28', value: [125, 85], min: [120, 80], max: [130, 90], count: 2, source: 'cuff' }
  ])
})

t.test('a caller who may not read a source gets the rest', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['watch', 'phone']) await alice.stream(id)
  await alice.event({ streamIds: ['watch'], type: 'frequency/bpm', time: saturday, content: 60 })
  await alice.event({ streamIds: ['watch', 'phone'], type: 'frequency/bpm', time: saturday + 1, content: 70 })
  await alice.event({ streamIds: ['phone'], type: 'frequency/bpm', time: saturday + 2, content: 80 })
  const doctor = await alice.grant('read', 'phone')
  const hidden = await alice.grantAll([
    { streamId: '*', level: 'read' },
    { streamId: 'watch', level: 'none' }
  ])
  const range = { measure: 'heart-rate', fromTime: saturday - 10, toTime: saturday + 10, parts: 1 }
  const read = async (client: Client): Promise<Answer> =>
    (await client.do('measures.sample', range)).samples[0]
  t.match(await read(alice), { count: 2, mean: 65, source: 'watch' })
  t.match(await read(doctor), { count: 2, mean: 75, source: 'phone' })
  t.match(await read(hidden), { count: 1, mean: 80, source: 'phone' })
  t.match((await hidden.do('measures.facts')).facts, [{ count: 1, sources: [{ streamId: 'phone' }] }])
  t.match(await days(hidden, 'heart-rate'), [{ value: 80, count: 1 }])

  await t.test('marks of hidden streams do not count', async t => {
    await alice.do('streams.update', {
      id: 'watch',
      update: { clientData: { 'coffer:measure': 'resting-heart-rate' } }
    })
    t.match((await doctor.do('measures.facts')).facts, [{ measure: 'heart-rate', count: 2 }])
    t.match(
      (await alice.do('measures.facts')).facts.map(({ count, measure }: Answer) => [measure, count]),
      [
        ['heart-rate', 1],
        ['resting-heart-rate', 2]
      ]
    )
  })

  await t.test('marks of streams above count, whether they are seen or not', async t => {
    const setMark = async (mark: string | null): Promise<void> => {
      await alice.do('streams.update', {
        id: 'gym',
        update: { clientData: { 'coffer:measure': mark, x: 'secret' } }
      })
    }
    await alice.do('streams.create', { id: 'gym', name: 'Secret' })
    await alice.do('streams.create', { id: 'room', name: 'Secret', parentId: 'gym' })
    await alice.do('streams.create', { id: 'bar', name: 'Bar', parentId: 'room', clientData: { own: 1 } })
    await alice.do('streams.create', { id: 'left', name: 'Left', parentId: 'bar' })
    for (const streamId of ['bar', 'left'])
      await alice.event({ streamIds: [streamId], type: 'mass/kg', time: saturday, content: 120 })
    await alice.event({ streamIds: ['left'], type: 'mass/lb', time: saturday, content: 100 })
    const app = await alice.grantAll([
      { streamId: 'bar', level: 'manage' },
      { streamId: 'watch', level: 'read' }
    ])
    const paths = ['/streams', '/measures/facts', '/feed.atom?types=mass/lb']
    const etags: (string | null)[] = []
    const readCached = async (): Promise<Answer[]> => {
      const answers = await Promise.all(
        paths.map(async (path, at) => {
          const headers = etags[at] ? { 'if-none-match': etags[at] } : {}
          const { body, headers: found, status } = await app.http('GET', path, undefined, headers)
          etags[at] = found.get('etag')
          return status === 304 ? 304 : body
        })
      )
      t.notMatch(JSON.stringify(answers), /secret|gym|room/i)
      return answers
    }
    const cases: readonly (readonly [mark: string | null, seen: object, measure: string | undefined])[] = [
      [null, {}, 'weight'],
      ['weight-lifted', { 'coffer:measure': 'weight-lifted' }, 'weight-lifted'],
      ['my-own', { 'coffer:measure': ':none' }, undefined]
    ]
    for (const [mark, seen, measure] of cases) {
      await setMark(mark)
      const [{ streams }, { facts }, feed] = await readCached()
      const [bar] = streams.filter(({ id }: Answer) => id === 'bar')
      t.same(bar.clientData, { own: 1, ...seen })
      t.equal(bar.parentId, null)
      t.same(bar.children[0].clientData, undefined)
      const found = facts.find(({ sources }: Answer) => JSON.stringify(sources).includes('"left"'))
      t.equal(found?.measure, measure)
      t.equal(found?.count, measure && 3)
      // Both measures are shown in kilograms.
      if (mark !== 'weight-lifted') t.match(feed, `<title>Left, ${measure ? '45.36 kg' : '100 lb'} (`)
      t.same((await readCached()).slice(0, 2), [304, 304])
    }
    // Nearer marks count. A change of others by the app stores nothing of what is above.
    await app.do('streams.update', { id: 'bar', update: { clientData: { own: 2 } } })
    const readOwn = async (): Promise<Answer> =>
      (await alice.do('streams.get', { parentId: 'room' })).streams[0].clientData
    t.same(await readOwn(), { own: 2 })
    const [shown] = (await app.do('streams.get')).streams
    const back = { ...shown.clientData, own: 3 }
    const { stream } = await app.do('streams.update', { id: 'bar', update: { clientData: back } })
    t.same(stream.clientData, { own: 3, 'coffer:measure': ':none' })
    t.same(await readOwn(), { own: 3 }, 'nor does an app that sends back what it got')
    await app.do('streams.update', { id: 'bar', update: { clientData: { 'coffer:measure': 'height' } } })
    t.same(await readOwn(), { own: 3, 'coffer:measure': 'height' }, 'another mark is kept')
    await alice.do('streams.update', { id: 'bar', update: { clientData: { 'coffer:measure': 'weight' } } })
    t.match((await app.do('streams.get')).streams, [{ clientData: { 'coffer:measure': 'weight' } }, {}])
    t.match((await app.do('measures.facts', { measures: ['weight'] })).facts, [{ count: 3 }])
  })

  await t.test('the order of the user applies to them, also to what they have cached', async t => {
    const path = '/measures/sample?measure=heart-rate&fromTime=0&toTime=3e9&parts=1'
    const first = await doctor.http('GET', path)
    await alice.do('profile.updatePrivate', { update: { 'coffer:sources': { 'heart-rate': ['phone'] } } })
    const second = await doctor.http('GET', path, undefined, { 'if-none-match': first.headers.get('etag')! })
    t.equal(second.status, 200)
    const third = await doctor.http('GET', path, undefined, { 'if-none-match': second.headers.get('etag')! })
    t.equal(third.status, 304)
  })
})

t.test('the latest value of a series is its last number', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('belt')
  const { event } = await alice.do('events.create', {
    streamIds: ['belt'],
    type: 'series:mass/lb',
    time: saturday
  })
  const points = [
    [0, 100],
    [1000, 110],
    [2000.5, 154]
  ]
  const latest = async (): Promise<Answer> => (await alice.do('measures.facts')).facts[0]
  await alice.do('hfs.add', { id: event.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  const found = await latest()
  t.match(found, { measure: 'weight', count: 3, first: saturday, last: saturday + 2000.5 })
  t.match(found.latest, { time: saturday + 2000.5, type: 'series:mass/lb', content: 154, unit: 'mass/kg' })
  await alice.do('hfs.deletePoints', { id: event.id, fromDeltaTime: 1500, toDeltaTime: 3000 })
  t.match(await latest(), { count: 2, last: saturday + 1000, latest: { content: 110 } })
  await alice.do('events.delete', { id: event.id })
  t.same((await alice.do('measures.facts')).facts, [])
})
