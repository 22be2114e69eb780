import t from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'

const day = 86_400
const hour = 3600
/** Noon of the first of 28 days; the week that follows ends on Sunday, 8 February 2026. */
const start = Date.UTC(2026, 0, 5, 11) / 1000
const zone = 'Europe/Zurich'
const params = { to: '2026-02-08', zone }

async function read(client: Client, more: object = {}): Promise<Answer> {
  return await client.do('measures.week', { ...params, ...more })
}

function find({ measures }: Answer, id: string): Answer {
  return measures.find(({ measure }: Answer) => measure === id)
}

t.test('measures.week', async t => {
  const { alice, clock } = await openCoffer(t)
  for (const id of ['scale', 'watch', 'places']) await alice.stream(id)
  await alice.do('streams.update', { id: 'places', update: { clientData: { 'coffer:measure': 'visit' } } })
  const calls: object[] = []
  const add = (fields: object): number => calls.push({ method: 'events.create', params: fields })
  for (let at = 0; at < 35; at++) {
    const time = start + at * day
    const isWeek = at >= 28
    // Three days of the week are missing.
    if (at < 32) add({ streamIds: ['scale'], type: 'mass/kg', time, content: isWeek ? 75 : 70 + (at % 3) })
    add({ streamIds: ['watch'], type: 'count/steps', time, duration: hour, content: 8000 + (at % 7) * 100 })
    // From 23:00 until 7:00; at the weekend until 9:00.
    add({
      streamIds: ['watch'],
      type: 'sleep/analysis',
      time: time - 13 * hour,
      duration: (at % 7 > 4 ? 10 : 8) * hour,
      content: { analysis: 'asleep' }
    })
  }
  const position = { streamIds: ['places'], type: 'position/wgs84' }
  const home = { latitude: 47, longitude: 8 }
  add({ ...position, time: start + 29 * day, duration: 5 * hour, content: home })
  add({ ...position, time: start + 30 * day, duration: 5 * hour, content: { ...home, latitude: 47.0001 } })
  add({ ...position, time: start + 31 * day, duration: 6 * hour, content: { ...home, latitude: 48 } })
  add({ ...position, time: start + 2 * day, duration: 60, content: { ...home, latitude: 40 } })
  await alice.do('callBatch', calls)
  const goals = { steps: { period: 'day', min: 8300 }, weight: { period: 'week', max: 74 } }
  await alice.do('profile.updatePrivate', { update: { 'coffer:goals': goals } })

  await t.test('compares with the days before, and tells gaps', async t => {
    const week = await read(alice)
    t.match(week, { from: '2026-02-02', to: '2026-02-08' })
    const weight = find(week, 'weight')
    t.match(weight, { days: 4, value: 75, position: 'higher', usual: { days: 28, median: 71 } })
    t.ok(Math.abs(weight.usual.high - 72.4826) < 1e-9)
    t.same(weight.goal, { period: 'week', max: 74, reached: 0, total: 1 })
    t.match(find(week, 'steps'), {
      days: 7,
      value: 8300,
      total: 58_100,
      position: 'usual',
      goal: { reached: 4, total: 7 }
    })
  })

  await t.test('tells when nights began and ended', async t => {
    const sleep = find(await read(alice), 'sleep')
    t.match(sleep, { days: 7, value: 8 * hour, position: 'usual' })
    t.same(sleep.night, {
      begin: { median: '23:00', earliest: '23:00', latest: '23:00' },
      end: { median: '07:00', earliest: '07:00', latest: '09:00' }
    })
  })

  await t.test('counts the places of the week', async t => {
    t.same(find(await read(alice), 'visit').places, {
      count: 2,
      most: { ...home, seconds: 10 * hour }
    })
    const type = `series:${position.type}`
    const { id } = await alice.event({ ...position, type, time: start + 32 * day, content: null })
    await alice.do('hfs.add', {
      id,
      format: 'flatJSON',
      fields: ['deltaTime', 'latitude', 'longitude', 'duration'],
      points: [
        [0, home.latitude, home.longitude, 2 * hour],
        [3 * hour, 49, home.longitude, hour]
      ]
    })
    const withSeries = { count: 3, most: { ...home, seconds: 12 * hour } }
    t.same(find(await read(alice), 'visit').places, withSeries, 'also in points of series')
    await alice.do('events.delete', { id })
  })

  await t.test('tells a week without data apart from one that is not asked for', async t => {
    const week = await read(alice, { to: '2026-02-15' })
    t.match(find(week, 'weight'), { days: 0, position: 'unknown' })
    t.notOk('value' in find(week, 'weight'))
    t.same((await read(alice, { to: '2027-02-08' })).measures, [])
  })

  await t.test('tells others only of what they may read', async t => {
    const scale = await alice.grant('read', 'scale')
    const week = await read(scale)
    t.same(
      week.measures.map(({ measure }: Answer) => measure),
      ['weight']
    )
    t.notOk('goal' in week.measures[0])
    t.notOk('looked' in week)
  })

  await t.test('ends yesterday by default', async t => {
    const now = new Date(clock.now() * 1000)
    now.setUTCDate(now.getUTCDate() - 1)
    t.equal((await alice.do('measures.week', {})).to, now.toISOString().slice(0, 10))
  })

  await t.test('is the same for the same data', async t => {
    t.same((await read(alice)).measures, (await read(alice)).measures)
  })
})

t.test('measures.week tells who has read data', async t => {
  const { alice, clock } = await openCoffer(t)
  await alice.stream('scale')
  await alice.event({ streamIds: ['scale'], type: 'mass/kg', content: 70 })
  const doctor = await alice.grant('read', 'scale', { name: 'Doctor' })
  const idle = await alice.grant('read', 'scale', { name: 'Idle' })
  for (let at = 0; at < 3; at++) await doctor.do('events.get', {})
  await idle.do('getAccessInfo', {})
  await alice.do('events.get', {})
  const to = new Date(clock.now() * 1000).toISOString().slice(0, 10)
  const { looked } = await alice.do('measures.week', { to })
  t.match(looked, [{ name: 'Doctor', days: 1, reads: 3 }])
  t.equal(looked.length, 1)
  t.same((await alice.do('measures.week', { to: '2020-01-01' })).looked, [])
})
