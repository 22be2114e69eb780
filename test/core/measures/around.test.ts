import t from 'tap'
import { estimatePairedShift, estimateShift } from '../../../core/measures/shift.js'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { seeded } from '../../support/random.js'

const day = 86_400
const tiny = 1e-7
const noon = Date.UTC(2026, 0, 1, 12) / 1000

/** The statistic of Mann and Whitney in standard deviations, from its definition. */
function testShift(before: readonly number[], after: readonly number[], shift: number): number {
  let larger = 0
  for (const late of after)
    for (const early of before) larger += late - shift > early ? 1 : late - shift === early ? 0.5 : 0
  const [n, m] = [before.length, after.length]
  return (larger - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12)
}

/** Wilcoxon's signed-rank statistic in standard deviations, from ranks. */
function testPaired(differences: readonly number[], shift: number): number {
  const moved = differences.map(each => each - shift).toSorted((a, b) => Math.abs(a) - Math.abs(b))
  const positive = moved.reduce((sum, each, index) => sum + (each > 0 ? index + 1 : 0), 0)
  const n = differences.length
  return (positive - (n * (n + 1)) / 4) / Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24)
}

t.test('the shift between two samples', async t => {
  t.test('is the median of all differences', async t => {
    t.equal(estimateShift([1, 2, 3], [11, 12, 13])!.value, 10)
    t.equal(estimateShift([1, 2], [5, 9])!.value, 5.5)
    t.equal(estimateShift([], [1]), undefined)
    t.notOk('low' in estimateShift([1, 2], [3, 4])!, 'no interval with so few values')
  })

  t.test('is not moved by an odd value', async t => {
    const before = [60, 61, 62, 63, 64, 65, 66]
    t.equal(estimateShift(before, [...before.slice(1).map(each => each + 3), 900])!.value, 4)
  })

  t.test('has the interval of the shifts that the test of Mann and Whitney does not reject', async t => {
    const random = seeded(t)
    for (let round = 0; round < 100; round++) {
      const sample = (count: number): number[] =>
        Array.from({ length: count }, () => random.below(1_000_000_000) / 1e6)
      const [before, after] = [sample(5 + random.below(20)), sample(5 + random.below(20))]
      const { high, low, value } = estimateShift(before, after) as {
        value: number
        low: number
        high: number
      }
      t.ok(low <= value && value <= high)
      const [n, m] = [before.length, after.length]
      // The statistic changes in steps, and the interval ends with the first step that is rejected.
      const step = 1 / Math.sqrt((n * m * (n + m + 1)) / 12)
      for (const shift of [low + tiny, high - tiny])
        t.ok(Math.abs(testShift(before, after, shift)) <= 1.96 + step)
      for (const shift of [low - tiny, high + tiny]) t.ok(Math.abs(testShift(before, after, shift)) >= 1.9599)
    }
  })

  t.test('has the interval of the signed-rank test for pairs', async t => {
    const random = seeded(t)
    for (let round = 0; round < 100; round++) {
      const differences = Array.from(
        { length: 6 + random.below(30) },
        () => random.below(1_000_000_000) / 1e6
      )
      const { high, low, value } = estimatePairedShift(differences) as {
        value: number
        low: number
        high: number
      }
      t.ok(low <= value && value <= high)
      const n = differences.length
      const step = 1 / Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24)
      for (const shift of [low + tiny, high - tiny])
        t.ok(Math.abs(testPaired(differences, shift)) <= 1.96 + step)
      for (const shift of [low - tiny, high + tiny]) t.ok(Math.abs(testPaired(differences, shift)) >= 1.9599)
    }
    t.equal(estimatePairedShift([1, 2, 6])!.value, 2.75)
    t.equal(estimatePairedShift([]), undefined)
  })

  t.test('holds the true shift in about 19 of 20 cases', async t => {
    const random = seeded(t)
    let held = 0
    for (let round = 0; round < 400; round++) {
      const sample = (count: number, more: number): number[] =>
        Array.from({ length: count }, () => more + random.below(1_000_000) / 1e6)
      const { high = 0, low = 0 } = estimateShift(sample(14, 0), sample(14, 0.3))!
      if (low <= 0.3 && 0.3 <= high) held++
    }
    t.ok(held > 360 && held < 396, `${held} of 400`)
  })
})

async function around(client: Client, params: object): Promise<Answer> {
  return (await client.do('measures.around', { measure: 'weight', zone: 'Europe/Zurich', ...params }))
    .around[0]
}

t.test('measures.around', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['scale', 'diary', 'trips']) await alice.stream(id)
  const weights = Array.from({ length: 60 }, (_, at) => ({
    method: 'events.create',
    params: {
      streamIds: ['scale'],
      type: 'mass/kg',
      time: noon + at * day,
      content: 70 + (at % 3) + (at > 30 ? 2 : 0)
    }
  }))
  await alice.do('callBatch', weights)
  const change = await alice.event({ time: noon + 30 * day })

  await t.test('compares the days before an event with those after it', async t => {
    t.match(await around(alice, { eventId: change.id, before: 9, after: 12 }), {
      events: 1,
      before: { count: 9, median: 71 },
      after: { count: 12, median: 73 },
      difference: { value: 2 },
      warnings: []
    })
    const { difference } = await around(alice, { eventId: change.id })
    t.ok(difference.low >= 1 && difference.high <= 3)
  })

  await t.test('says if there are too few days', async t => {
    const found = await around(alice, { eventId: change.id, before: 3, after: 14 })
    t.match(found, { before: { count: 3 }, warnings: ['few'] })
    const early = await alice.event({ time: noon - 100 * day })
    t.same(await around(alice, { eventId: early.id }), {
      events: 1,
      before: { count: 0 },
      after: { count: 0 },
      warnings: ['few']
    })
  })

  await t.test('does not count the days of the event itself', async t => {
    const trip = { streamIds: ['trips'], type: 'activity/plain', content: null }
    const { id } = await alice.event({ ...trip, time: noon + 29 * day, duration: 10 * day })
    const found = await around(alice, { eventId: id, before: 3, after: 3 })
    t.match(found, { before: { count: 3, median: 71 }, after: { count: 3, median: 73 } })
    // The eleventh of January from midnight to midnight in Zurich.
    const whole = await alice.event({ ...trip, time: noon + 10 * day - 13 * 3600, duration: day })
    const besides = await around(alice, { eventId: whole.id, before: 1, after: 1 })
    t.match(besides, { before: { median: 70 }, after: { median: 72 } }, 'the next day comes after')
  })

  await t.test('compares both sides of several events in pairs', async t => {
    for (const at of [5, 15, 25, 30, 35, 45])
      await alice.event({ streamIds: ['diary'], time: noon + at * day })
    const found = await around(alice, { streamId: 'diary', type: 'note/txt', before: 3, after: 3 })
    // One of the days is that of the change, and the first event has no weights around it.
    t.match(found, { events: 7, before: { count: 6, median: 71 }, after: { count: 6 } })
    t.same(found.warnings, ['overlapping'])
    const apart = await around(alice, { streamId: 'diary', type: 'note/txt', before: 2, after: 2 })
    t.same(apart.warnings, [])
  })

  await t.test('uses only what the caller may read', async t => {
    const scale = await alice.grant('read', 'scale')
    t.match(await scale.call('measures.around', { measure: 'weight', eventId: change.id }), {
      error: { id: 'forbidden' }
    })
    t.match(await scale.call('measures.around', { measure: 'weight', streamId: 'diary', type: 'note/txt' }), {
      error: { id: 'forbidden' }
    })
    const diary = await alice.grant('read', 'diary')
    t.match(await around(diary, { eventId: change.id }), { before: { count: 0 }, after: { count: 0 } })
  })
})
