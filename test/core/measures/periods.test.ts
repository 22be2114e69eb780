/** Days of periods: the same for every range, each night on one day, and never twice. (docs/api/measure-methods.md#periods) */
import t, { type Test } from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'

const hour = 3600
const day = 24 * hour
/** 1 March 2026, in UTC. */
const march = Date.UTC(2026, 2, 1) / 1000

async function read(client: Client, measure: string, from: string, to: string): Promise<Answer[]> {
  return (await client.do('measures.days', { measure, from, to })).days
}

/** Opens an account with streams of these ids. */
async function open(t: Test, ...ids: string[]): Promise<Client> {
  const { alice } = await openCoffer(t)
  for (const id of ids) await alice.stream(id)
  return alice
}

/** Creates a period; `from` and `length` in hours. */
async function add(
  client: Client,
  streamId: string,
  content: string,
  [from, length]: readonly [number, number],
  more: object = {}
): Promise<void> {
  const type = content === 'activity' ? 'activity/plain' : 'sleep/analysis'
  await client.event({
    streamIds: [streamId],
    type,
    time: march + from * hour,
    duration: length * hour,
    content: content === 'activity' ? null : { analysis: content },
    ...more
  })
}

t.test('the requested range does not change a day', async t => {
  const alice = await open(t, 'trips', 'fasts')
  await add(alice, 'trips', 'activity', [24, 5 * 24 + 1])
  const expected = [{ day: '2026-03-07', value: 5 * day + hour, count: 1, source: 'trips' }]
  for (const from of ['2020-01-01', '2026-03-01', '2026-03-06', '2026-03-07'])
    t.same(await read(alice, 'activity', from, '2026-03-20'), expected, from)
  t.same(await read(alice, 'activity', '2026-03-07', '2026-03-07'), expected)
  t.same(await read(alice, 'activity', '2026-03-06', '2026-03-06'), [])

  // A chain of 80 overlapping periods, each 30 hours long.
  for (let at = 0; at < 80; at++) await add(alice, 'fasts', 'asleep', [(400 + at) * 24, 30])
  const whole = await read(alice, 'sleep', '2026-03-01', '2028-01-01')
  t.equal(whole.length, 1)
  t.match(whole, [{ value: 79 * day + 30 * hour, count: 80 }])
  t.same(await read(alice, 'sleep', whole[0].day, whole[0].day), whole)
})

/** Adds a series of periods, asleep; the beginning and the length of each in hours. */
async function addPoints(
  client: Client,
  streamId: string,
  points: readonly (readonly [from: number, length: number])[]
): Promise<void> {
  const holder = { streamIds: [streamId], type: 'series:sleep/analysis', time: march, content: null }
  const { id } = await client.event(holder)
  await client.do('hfs.add', {
    id,
    format: 'flatJSON',
    fields: ['deltaTime', 'analysis', 'duration'],
    points: points.map(([from, length]) => [from * hour, 'asleep', length * hour])
  })
}

/** Asserts that a day is the same in whatever range. */
async function sameInRanges(t: Test, client: Client, measure: string, expected: Answer): Promise<void> {
  for (const from of [expected.day, '2026-03-04', '2026-03-01'])
    for (const to of [expected.day, '2026-03-20']) {
      const days = (await read(client, measure, from, to)).filter(({ day: of }) => of === expected.day)
      t.match(days, [expected], `${from} to ${to}`)
    }
}

t.test('events and points that belong together do not change a day either', async t => {
  await t.test('of one night', async t => {
    const alice = await open(t, 'watch')
    await add(alice, 'watch', 'asleep', [4 * 24 + 19, 2.5])
    await addPoints(alice, 'watch', [
      [4 * 24 + 21.75, 2],
      [5 * 24 + 0.5, 6]
    ])
    await sameInRanges(t, alice, 'sleep', { day: '2026-03-06', value: 10.5 * hour, count: 3 })
  })

  await t.test('of nights that overlap', async t => {
    const alice = await open(t, 'watch', 'phone', 'ring')
    await alice.do('profile.updatePrivate', {
      update: { 'coffer:sources': { sleep: ['watch', 'phone', 'ring'] } }
    })
    await add(alice, 'watch', 'asleep', [4 * 24 + 20, 1.75])
    await addPoints(alice, 'phone', [[4 * 24 + 21, 9.5]])
    await add(alice, 'ring', 'asleep', [5 * 24 + 1, 1])
    await sameInRanges(t, alice, 'sleep', { day: '2026-03-06', value: hour, source: 'ring' })
    // The next night of the phone counts until the watch has one that ends later.
    await add(alice, 'ring', 'asleep', [5 * 24 + 20, 1])
    await addPoints(alice, 'phone', [[5 * 24 + 20.5, 9.5]])
    await add(alice, 'watch', 'asleep', [6 * 24 + 5, 3])
    await sameInRanges(t, alice, 'sleep', { day: '2026-03-06', value: 2 * hour, count: 2 })
  })

  await t.test('of numbers that are periods', async t => {
    const alice = await open(t, 'fasts')
    const own = {
      id: 'without-food',
      name: 'Without food',
      icon: 'timer',
      hue: 10,
      kind: 'span',
      types: ['time/h']
    }
    await alice.do('profile.updatePrivate', { update: { 'coffer:measures': [own] } })
    await alice.do('streams.update', {
      id: 'fasts',
      update: { clientData: { 'coffer:measure': 'without-food' } }
    })
    const fast = { streamIds: ['fasts'], type: 'time/h', content: 8, time: march + (4 * 24 + 23) * hour }
    await alice.event(fast)
    await sameInRanges(t, alice, 'without-food', { day: '2026-03-06', value: 8 * hour, count: 1 })
  })
})

t.test('a range that ends within a night does not count it', async t => {
  const alice = await open(t, 'watch')
  await add(alice, 'watch', 'asleep', [21, 2])
  await add(alice, 'watch', 'asleep', [24.5, 6])
  t.same(await read(alice, 'sleep', '2026-02-20', '2026-03-01'), [])
  const night = [{ day: '2026-03-02', value: 8 * hour, count: 2, source: 'watch' }]
  t.same(await read(alice, 'sleep', '2026-03-02', '2026-03-02'), night)
  t.same(await read(alice, 'sleep', '2026-02-20', '2026-03-20'), night)
})

t.test('time awake', async t => {
  const alice = await open(t, 'ring', 'watch')
  await alice.do('profile.updatePrivate', { update: { 'coffer:sources': { sleep: ['watch'] } } })
  await add(alice, 'ring', 'asleep', [0, 8])
  await add(alice, 'watch', 'awake', [3, 0.1])
  t.same(
    await read(alice, 'sleep', '2026-03-01', '2026-03-01'),
    [{ day: '2026-03-01', value: 8 * hour, count: 1, source: 'ring' }],
    'alone is no night that takes the place of another'
  )
  await add(alice, 'ring', 'awake', [2, 1])
  await add(alice, 'ring', 'awake', [2.5, 1])
  t.match(
    await read(alice, 'sleep', '2026-03-01', '2026-03-01'),
    [{ value: 6.5 * hour, count: 3 }],
    'within sleep is not time asleep'
  )
})

t.test('a period that ends at midnight counts on the day before', async t => {
  const alice = await open(t, 'trips', 'watch')
  await add(alice, 'trips', 'activity', [24, 24])
  t.same(await read(alice, 'activity', '2026-03-01', '2026-03-05'), [
    { day: '2026-03-02', value: day, count: 1, source: 'trips' }
  ])
  t.same(await read(alice, 'activity', '2026-03-03', '2026-03-03'), [])
  await add(alice, 'watch', 'asleep', [47, 1])
  t.match(await read(alice, 'sleep', '2026-03-01', '2026-03-05'), [{ day: '2026-03-02', value: hour }])
})

t.test('periods that follow each other count on the day on which each ends', async t => {
  const alice = await open(t, 'trips', 'phone', 'watch')
  // Whole days, and what a time tracker divides at midnight.
  for (const from of [24, 48, 72]) await add(alice, 'trips', 'activity', [from, 24])
  await add(alice, 'trips', 'activity', [118, 2])
  await add(alice, 'trips', 'activity', [120, 3])
  // Overlaps only one of them.
  await add(alice, 'phone', 'activity', [30, 1])
  const trips = { count: 1, source: 'trips' }
  t.same(await read(alice, 'activity', '2026-03-01', '2026-03-20'), [
    ...['2026-03-02', '2026-03-03', '2026-03-04'].map(date => ({ day: date, value: day, ...trips })),
    { day: '2026-03-05', value: 2 * hour, ...trips },
    { day: '2026-03-06', value: 3 * hour, ...trips }
  ])
  t.match(await read(alice, 'activity', '2026-03-03', '2026-03-03'), [{ value: day }])
  await add(alice, 'watch', 'asleep', [22, 2])
  await add(alice, 'watch', 'asleep', [24, 6])
  t.match(
    await read(alice, 'sleep', '2026-03-01', '2026-03-20'),
    [{ day: '2026-03-02', value: 8 * hour, count: 2 }],
    'parts of a night are one'
  )
})

t.test('two hours without sleep divide nights', async t => {
  const alice = await open(t, 'watch')
  await add(alice, 'watch', 'asleep', [44, 1])
  await add(alice, 'watch', 'asleep', [47, 3])
  t.match(await read(alice, 'sleep', '2026-03-01', '2026-03-05'), [
    { day: '2026-03-02', value: hour },
    { day: '2026-03-03', value: 3 * hour }
  ])
  await add(alice, 'watch', 'asleep', [44, 1.5])
  t.match(await read(alice, 'sleep', '2026-03-01', '2026-03-05'), [{ day: '2026-03-03', value: 4.5 * hour }])
})

t.test('time in bed is not time asleep, however long the rest of the event is', async t => {
  const alice = await open(t, 'watch')
  const clientData = { note: 'x'.repeat(100_000) }
  await add(alice, 'watch', 'inBed', [0, 9], { clientData })
  await add(alice, 'watch', 'asleep', [1, 7], { clientData })
  t.match(await read(alice, 'sleep', '2026-03-01', '2026-03-01'), [{ value: 7 * hour, count: 2 }])
})

t.test('points of series are asleep, awake or in bed like events', async t => {
  const alice = await open(t, 'watch')
  const { id } = await alice.event({
    streamIds: ['watch'],
    type: 'series:sleep/analysis',
    time: march,
    content: null
  })
  await alice.do('hfs.add', {
    id,
    format: 'flatJSON',
    fields: ['deltaTime', 'analysis', 'duration'],
    points: [
      [0, 'inBed', 8 * hour],
      [hour, 'asleep', 2 * hour],
      [2 * hour, 'awake', hour / 2],
      [4 * hour, 'asleep', 3 * hour]
    ]
  })
  t.match(await read(alice, 'sleep', '2026-03-01', '2026-03-01'), [{ value: 4.5 * hour, count: 4 }])
})

t.test('of overlapping nights of many sources, those of the preferred ones count', async t => {
  const sources = Array.from({ length: 12 }, (_, at) => `s${String(at).padStart(2, '0')}`)
  const alice = await open(t, ...sources)
  await alice.do('profile.updatePrivate', { update: { 'coffer:sources': { sleep: sources } } })
  // Each begins seven hours after the one before: the first, the third, the fifth and so on do not overlap.
  for (const [at, id] of sources.entries()) await add(alice, id, 'asleep', [100 + 7 * at, 10])
  const found = await read(alice, 'sleep', '2026-03-01', '2026-03-20')
  t.equal(
    found.reduce((sum, { count }) => sum + count, 0),
    6
  )
  t.equal(
    found.reduce((sum, { value }) => sum + value, 0),
    60 * hour
  )
})
