import t from 'tap'
import type { DayValue } from '../../../core/measures/day-values.js'
import { summariseWeek } from '../../../core/measures/measure-week.js'
import { compareWeek, describeUsual, getMedian } from '../../../core/measures/week-statistics.js'
import { seeded } from '../../support/random.js'

const repeat = (count: number, value: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => value(index))

const days = (values: readonly (readonly [day: number, value: unknown])[]): Map<number, DayValue> =>
  new Map(values.map(([day, value]) => [day, { day, value, count: 1, source: 'a' }]))

t.test('the median', async t => {
  t.equal(getMedian([]), undefined)
  t.equal(getMedian([3, 1, 2]), 2)
  t.equal(getMedian([4, 1, 2, 3]), 2.5)
  t.equal(getMedian([1e308, 1.5e308]), 1.25e308)
})

t.test('what is usual', async t => {
  t.test('is the median with the median absolute deviation', async t => {
    // Deviations 0, 1, 1, 2, 2, 3, 3, of which 2 is the median.
    const usual = describeUsual([100, 99, 101, 98, 102, 97, 103])!
    t.match(usual, { days: 7, median: 100 })
    t.ok(Math.abs(usual.high - 102.9652) < 1e-9 && Math.abs(usual.low - 97.0348) < 1e-9)
  })

  t.test('is not changed by a few odd days', async t => {
    const calm = repeat(28, index => 60 + (index % 5))
    const odd = calm.map((value, index) => (index % 9 === 0 ? 500 : value))
    t.ok(describeUsual(odd)!.high - describeUsual(calm)!.high < 2)
  })

  t.test('has a width even if most days are the same', async t => {
    const usual = describeUsual([...repeat(20, () => 3), ...repeat(8, () => 4)])!
    t.ok(Math.abs(usual.high - (3 + (1.2533 * 5) / 25)) < 1e-9)
    t.match(describeUsual([...repeat(24, () => 2.5), 5000]), { low: 2.4875, high: 2.5125 })
    t.same(describeUsual(repeat(28, () => 200)), { days: 28, median: 200, low: 199, high: 201 })
    t.equal(describeUsual([]), undefined)
    t.equal(describeUsual([1e308, -1e308, 1.7e308]), undefined)
  })
})

t.test('a week', async t => {
  const before = repeat(28, index => 60 + (index % 5))
  const usual = describeUsual(before)

  t.test('is compared by its median', async t => {
    t.equal(
      compareWeek(
        repeat(7, () => 62),
        usual
      ),
      'usual'
    )
    t.equal(
      compareWeek(
        repeat(7, () => 66),
        usual
      ),
      'higher'
    )
    t.equal(
      compareWeek(
        repeat(7, () => 50),
        usual
      ),
      'lower'
    )
    t.equal(compareWeek([62, 62, 62, 62, 200, 200, 200], usual), 'usual')
  })

  t.test('is not compared with too few days', async t => {
    t.equal(compareWeek([66, 66, 66], usual), 'unknown')
    t.equal(compareWeek([], usual), 'unknown')
    t.equal(
      compareWeek(
        repeat(7, () => 66),
        describeUsual(before.slice(0, 13))
      ),
      'unknown'
    )
    t.equal(
      compareWeek(
        repeat(7, () => 66),
        undefined
      ),
      'unknown'
    )
  })

  t.test('is seldom found unusual by chance', async t => {
    const random = seeded(t)
    const sample = (): number => {
      let sum = 0
      for (let each = 0; each < 12; each++) sum += random.below(1_000_000) / 1_000_000
      return sum
    }
    const rounds = 1000
    const found = repeat(rounds, () => {
      const position = compareWeek(repeat(7, sample), describeUsual(repeat(28, sample)))
      return position === 'usual' ? 0 : 1
    }).reduce((sum, each) => sum + each, 0)
    // About one in fourteen: this is six standard deviations more.
    t.ok(found < rounds / 8, `${found} of ${rounds}`)
  })
})

t.test('the summary', async t => {
  const week = { zone: 'UTC', first: 0, start: 28 }

  t.test('counts a goal only on its days', async t => {
    const steps = { id: 'steps', kind: 'sum', types: ['count/steps'] } as const
    // Day 28 is a Thursday.
    const values = days([
      [28, 9000],
      [29, 100],
      [30, 8000]
    ])
    const found = summariseWeek(steps, values, week, { period: 'day', min: 8000, weekdays: [4, 5] })
    t.match(found, {
      days: 3,
      value: 8000,
      total: 17_100,
      position: 'unknown',
      goal: { reached: 1, total: 2 }
    })
    t.same(found!.goal, { period: 'day', min: 8000, reached: 1, total: 2 })
    t.match(summariseWeek(steps, values, week, { period: 'week', min: 17_000 }), {
      goal: { reached: 1, total: 1 }
    })
    t.match(summariseWeek(steps, days([[1, 5]]), week, { period: 'week', max: 9 }), {
      days: 0,
      goal: { reached: 0, total: 1 }
    })
  })

  t.test('has the word of most days, the last of equally frequent ones', async t => {
    const mood = { id: 'x', kind: 'category', types: ['mood/emoji'] } as const
    t.same(
      summariseWeek(
        mood,
        days([
          [28, 'a'],
          [29, 'b'],
          [30, 'a']
        ]),
        week
      ),
      {
        measure: 'x',
        days: 3,
        value: 'a',
        position: 'unknown'
      }
    )
    t.match(
      summariseWeek(
        mood,
        days([
          [28, 'a'],
          [29, 'b']
        ]),
        week
      ),
      { value: 'b' }
    )
  })

  t.test('has both numbers of a pair', async t => {
    const pressure = { id: 'p', kind: 'pair', types: ['a/b'], fields: ['x', 'y'] } as const
    const values = days(repeat(35, index => index).map(day => [day, day < 28 ? [120, 80] : [140, 80]]))
    t.match(summariseWeek(pressure, values, week), {
      value: [140, 80],
      usual: { median: [120, 80], low: [119.4, 79.6] },
      position: 'higher'
    })
  })

  t.test('says nothing of a measure without values', async t => {
    t.equal(summariseWeek({ id: 'p', kind: 'level', types: ['a/b'] }, new Map(), week), undefined)
  })
})
