/** The computations of the page Today: what is usual, goals, which cards are shown, nights. */
import t from 'tap'
import { loadWeb } from '../../support/web-module.js'

interface DayValue {
  readonly number: number
  readonly value: number
}
interface Progress {
  readonly value?: number
  readonly isReached: boolean
  readonly isToday: boolean
  readonly reached: number
  readonly total: number
}
interface Modules {
  getMedian(values: readonly number[]): number | undefined
  getTrend(value: number, before: readonly number[]): string | undefined
  parseGoals(profile: object): ReadonlyMap<string, object>
  getProgress(goal: object, days: readonly DayValue[], today: number, isTotal: boolean): Progress
  getFirstDay(today: number): number
  parseSettings(profile: object): { readonly cards: readonly string[]; readonly hidden: readonly string[] }
  listCards(settings: object, facts: readonly object[], now: number): readonly string[]
  findNight(periods: readonly object[], day: object): object | undefined
}

Object.defineProperty(globalThis, 'navigator', { value: { languages: ['en-GB'] }, configurable: true })
Object.assign(globalThis, {
  document: { documentElement: {} },
  location: { href: 'http://localhost/' }
})

/** 5 January 1970, a Monday, and two weeks later the Thursday that is today. */
const monday = 4
const today = monday + 7 * 10 + 3
const now = 1_700_000_000
const day = 86_400
const hour = 3600

t.test('Today computes', async t => {
  const web = await loadWeb<Modules>(
    'app/today/trend.ts',
    'app/today/goals.ts',
    '../schemas/measures/goals.ts',
    'app/data/today-settings.ts',
    'app/today/night.ts'
  )

  await t.test('what is usual', async t => {
    t.equal(web.getMedian([]), undefined)
    t.equal(web.getMedian([3, 1, 2]), 2)
    t.equal(web.getMedian([4, 1, 2, 3]), 2.5)
    // Median 100; deviations 0, 1, 1, 2, 2, 3, 3, of which 2 is the median: a spread of 2.9652.
    const before = [100, 99, 101, 98, 102, 97, 103]
    for (const [value, trend] of [
      [100, 'usual'],
      [102.9, 'usual'],
      [97.1, 'usual'],
      [103, 'high.little'],
      [97, 'low.little'],
      [105.9, 'high.little'],
      [106, 'high.clear'],
      [94, 'low.clear'],
      [110.3, 'high.clear'],
      [110.4, 'high.much'],
      [89, 'low.much']
    ] as const)
      t.equal(web.getTrend(value, before), trend, String(value))
    t.equal(web.getTrend(200, before.slice(1)), undefined, 'six days say nothing')
    // One wrong reading changes neither the median nor the spread much.
    t.equal(web.getTrend(103, [...before, 9000]), 'usual')
    // Without any spread, half a percent counts as one.
    const constant = Array.from({ length: 10 }, () => 60)
    t.equal(web.getTrend(60.3, constant), 'usual')
    t.equal(web.getTrend(60.4, constant), 'high.little')
    t.equal(
      web.getTrend(
        0,
        Array.from({ length: 10 }, () => 0)
      ),
      'usual'
    )
    t.end()
  })

  await t.test('goals of days and weeks', async t => {
    const days = (values: readonly (number | undefined)[]): DayValue[] =>
      values.flatMap((value, index) => (value === undefined ? [] : [{ number: today - index, value }]))
    // Today 5, before 8, 8, nothing, 7.
    const rows = days([5, 8, 8, undefined, 7])
    t.same(web.getProgress({ period: 'day', min: 8 }, rows, today, true), {
      value: 5,
      isReached: false,
      isToday: true,
      reached: 2,
      total: 28
    })
    t.match(
      web.getProgress({ period: 'day', max: 7 }, rows, today, true),
      { isReached: true, reached: 1 },
      'a day without data reaches nothing'
    )
    t.match(web.getProgress({ period: 'day', min: 7, max: 8 }, rows, today, true), { reached: 3 })
    // Wednesday and Tuesday before this Thursday had 8; four weeks have 8 such days.
    t.match(web.getProgress({ period: 'day', min: 8, weekdays: [2, 3] }, rows, today, true), {
      isToday: false,
      reached: 2,
      total: 8
    })
    t.equal(web.getFirstDay(today), today - 3 - 28)
    const weeks = [
      { number: today - 3, value: 10 },
      { number: today, value: 20 },
      // The Sunday before, and the Monday of that week.
      { number: today - 4, value: 40 },
      { number: today - 10, value: 2 }
    ]
    t.match(web.getProgress({ period: 'week', min: 40 }, weeks, today, true), {
      value: 30,
      isReached: false,
      reached: 1,
      total: 4
    })
    t.match(web.getProgress({ period: 'week', min: 21 }, weeks, today, false), {
      value: 15,
      reached: 1
    })
    t.match(web.getProgress({ period: 'week', min: 1 }, [], today, true), { reached: 0, isReached: false })
    t.end()
  })

  await t.test('from the profile, whatever it contains', t => {
    t.same(
      [
        ...web.parseGoals({
          'coffer:goals': {
            steps: { period: 'day', min: 8000, weekdays: [1, 2, 9, 'x'] },
            weight: { max: 70, weekdays: [1, 2, 3, 4, 5, 6, 7], more: true },
            nothing: {},
            sleep: { min: '7', max: null },
            list: [],
            infinite: { min: Infinity }
          }
        })
      ],
      [
        ['steps', { period: 'day', min: 8000, weekdays: [1, 2] }],
        ['weight', { period: 'day', max: 70 }]
      ]
    )
    for (const stored of [undefined, null, 3, 'text', [], [1]]) {
      t.equal(web.parseGoals({ 'coffer:goals': stored }).size, 0)
      t.same(web.parseSettings({ 'coffer:today': stored }), { cards: [], hidden: [] })
    }
    t.same(web.parseSettings({ 'coffer:today': { cards: ['a', 3, 'a', null, 'b'], hidden: 'c' } }), {
      cards: ['a', 'b'],
      hidden: []
    })
    t.end()
  })

  await t.test('which measures have a card', t => {
    const fact = (measure: string, count: number, age: number) => ({ measure, count, last: now - age })
    const facts = [
      fact('weight', 300, 3600),
      fact('height', 2, 900 * day),
      fact('heart-rate', 2e7, 60),
      fact('note', 500, 60),
      fact('position', 9000, 60)
    ]
    const nothing = { cards: [], hidden: [] }
    t.same(web.listCards(nothing, facts, now), ['weight', 'height', 'heart-rate'])
    t.same(web.listCards({ cards: ['heart-rate', 'mood'], hidden: ['height'] }, facts, now), [
      'heart-rate',
      'mood',
      'weight'
    ])
    const many = Array.from({ length: 20 }, (_, index) => fact(`m${index}`, 100, index * 40 * day))
    const shown = web.listCards(nothing, many, now)
    t.same(
      shown,
      many.slice(0, 12).map(({ measure }) => measure),
      'the twelve most recent'
    )
    t.same(
      web.listCards(nothing, many.toReversed(), now),
      many
        .slice(0, 12)
        .map(({ measure }) => measure)
        .toReversed(),
      'in the order of the catalogue'
    )
    t.end()
  })

  await t.test('when the night began and ended', t => {
    const period = (from: number, length: number | null) => ({ time: from * hour, duration: length })
    const whole = { from: 24 * hour, to: 48 * hour }
    t.same(web.findNight([], whole), undefined)
    t.same(web.findNight([period(23, 2 * hour), period(26, 4 * hour), period(38, hour)], whole), {
      from: 23 * hour,
      to: 30 * hour
    })
    t.same(
      web.findNight([period(23, hour)], whole),
      undefined,
      'one that ends at midnight is of the day before'
    )
    t.same(web.findNight([period(26, null), period(44, 10 * hour)], whole), undefined)
    t.end()
  })
})
