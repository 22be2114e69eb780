/** The parts of timeline lanes: days in time zones, ticks, marks, default lanes, and descriptions. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../../core/version.js'
import { getDayStart } from '../../../schemas/zones.js'
import { seeded } from '../../support/random.js'
import { loadWeb } from '../../support/web-module.js'

interface View {
  readonly from: number
  readonly to: number
}
interface Zones {
  readonly periods: readonly { readonly from: number; readonly zone: string }[]
  readonly fallback: string
}
interface Tick {
  readonly time: number
  readonly unit: string
  readonly isStrong: boolean
}
interface Part {
  readonly time: number
  readonly count: number
  readonly min: number
  readonly max: number
  readonly mean: number
}
interface Plan {
  readonly name: string
  readonly kind: string
  readonly unit: string
  readonly types: readonly string[]
  readonly streamIds: readonly string[]
  readonly count: number
}
type Data = Readonly<Record<string, unknown>> & { readonly kind: string }
interface Modules {
  listDays(view: View, zones: Zones, most?: number): readonly (View & { readonly number: number })[]
  listWeekends(view: View, zones: Zones): readonly View[]
  createTimeTicks(view: View, pixels: number, zones: Zones): readonly Tick[]
  placeLabels(
    ticks: readonly Tick[],
    axis: {
      readonly plot: number
      toX(time: number): number
      measure(text: string): number
    }
  ): readonly { readonly text: string; readonly x: number; readonly width: number }[]
  createValueTicks(low: number, high: number, most: number): readonly number[]
  mergeMarks(
    marks: readonly object[],
    view: View,
    width: number,
    room: { readonly gap: number; readonly inset: number }
  ): readonly { readonly x: number; readonly marks: readonly object[] }[]
  zoomView(view: View, factor: number, about: number): View
  panView(view: View, seconds: number): View
  smooth(parts: readonly Part[], window: number): readonly { readonly mean: number }[]
  splitRuns(parts: readonly Part[], pause: number): readonly (readonly Part[])[]
  groupNights(
    data: Data,
    zones: Zones
  ): readonly { readonly bed: number; readonly up: number; readonly time: number }[]
  getSleepDuration(night: object): number
  findNearest(
    items: readonly { readonly time: number }[],
    time: number
  ): { readonly time: number } | undefined
  planLane(stream: object, tree: object, facts: readonly object[]): Plan | undefined
  chooseDefaultLanes(tree: object, facts: readonly object[], measured: readonly object[]): readonly string[]
  buildTree(streams: readonly object[]): { find(id: string): object | undefined }
  createPresetView(preset: string, last: number, zones: Zones): View
  stepView(view: View, direction: 1 | -1, zones: Zones): View
  createTitle(
    view: View,
    whole: View | undefined,
    zones: Zones,
    now: number
  ): { readonly main: string; readonly detail: string }
  getDayPart(time: number, zones: Zones): View & { readonly name: string }
  describeLane(plan: object, data: Data | undefined, view: View, zones: Zones): string
  readValueAt(data: Data, time: number, view: View, zones: Zones): { readonly text: string } | undefined
  TimelineModel: new (
    query: URLSearchParams,
    zones: Zones
  ) => {
    readonly view: { readonly value: View }
    show(view: View): void
    noteWritten(query: URLSearchParams): void
    applyQuery(query: URLSearchParams, isBack?: boolean): void
  }
  listReaders(plan: object | undefined, tree: object, accesses: readonly object[]): readonly object[]
  listStreamAccesses(
    accesses: readonly object[],
    path: readonly string[],
    now: number
  ): readonly { readonly access: object }[]
  formatDateTime(seconds: number, zone?: string): string
  addTexts(files: object): Promise<void>
  loadDisplayUnits(stored: unknown): void
}

Object.defineProperty(globalThis, 'navigator', { value: { languages: ['en-GB'] }, configurable: true })
Object.assign(globalThis, { document: { documentElement: {} }, location: { href: 'http://localhost/' } })

const hour = 3600
const day = 86_400
const zurich: Zones = { periods: [], fallback: 'Europe/Zurich' }
const at = (text: string): number => Date.parse(text) / 1000
/** Replaces the narrow spaces that date ranges have in some languages. */
const spaced = (text: string): string => text.replaceAll(/[\u2009\u202f\u00a0]/g, ' ')

const mark = (time: number) => ({ time, end: time, icon: 'note', label: '' })
const part = (time: number, mean: number): Part => ({ time, count: 1, min: mean, max: mean, mean })
const stream = (id: string, parentId: string | null = null, children: object[] = []) => ({
  id,
  name: id,
  parentId,
  children
})

t.test('lanes', async t => {
  const web = await loadWeb<Modules>(
    'app/lanes/calendar.ts',
    'app/lanes/ticks.ts',
    'app/lanes/tick-labels.ts',
    'app/lanes/merge-marks.ts',
    'app/lanes/view.ts',
    'app/lanes/draw-band.ts',
    'app/lanes/nights.ts',
    'app/lanes/lane-data.ts',
    'app/lanes/plan-lane.ts',
    'app/timeline/presets.ts',
    'app/timeline/titles.ts',
    'app/timeline/describe-lane.ts',
    'app/timeline/model.ts',
    'app/timeline/lane-audience.tsx',
    'app/streams/audience.ts',
    'app/data/tree.ts',
    'app/parts/format-time.ts',
    'app/data/units.ts',
    'app/data/display-units.ts',
    'language.ts'
  )
  web.loadDisplayUnits({ mass: 'kg' })
  for (const room of ['shell', 'timeline']) {
    const path = `web/app/${room}/messages/en.json`
    const texts: unknown = JSON.parse(readFileSync(join(packageDirectory, path), 'utf8'))
    await web.addTexts({ [path]: async () => await Promise.resolve(texts) })
  }

  await t.test('a time shows its year unless it is the current one in its zone', async t => {
    const thisYear = new Date().getUTCFullYear()
    const midsummer = Date.UTC(thisYear, 6, 1, 12) / 1000
    const newYear = Date.UTC(thisYear, 0, 1) / 1000
    t.equal(web.formatDateTime(midsummer, 'UTC'), '1 Jul, 12:00')
    t.equal(web.formatDateTime(newYear - 1800, 'Pacific/Auckland'), '1 Jan, 12:30')
    t.equal(spaced(web.formatDateTime(newYear + 1800, 'America/New_York')), `31 Dec ${thisYear - 1}, 19:30`)
  })

  await t.test('days are contiguous, even when clocks change', async t => {
    const random = seeded(t)
    const zones = [
      'Europe/Zurich',
      'America/New_York',
      'Asia/Tokyo',
      'Australia/Lord_Howe',
      'America/Santiago'
    ]
    for (const _ of Array(60)) {
      const from = at('2020-01-01T00:00:00Z') + random.below(6 * 365 * day)
      const view = { from, to: from + (1 + random.below(40)) * day }
      const first = random.pick(zones)
      const periods = random.chance(0.5)
        ? [
            { from: 0, zone: first },
            { from: from + random.below(view.to - from), zone: random.pick(zones) }
          ]
        : []
      const days = web.listDays(view, { periods, fallback: first })
      const where = JSON.stringify({ view, periods, first })
      t.ok(days[0]!.from <= view.from && days.at(-1)!.to >= view.to, `all of it is covered: ${where}`)
      t.notOk(
        days.some((each, index) => index > 0 && each.from !== days[index - 1]!.to),
        `no gaps: ${where}`
      )
      t.notOk(
        days.some(each => each.to - each.from > 25 * hour || each.to <= each.from),
        `none is too long: ${where}`
      )
    }
  })

  await t.test('a weekend in which clocks are set back has 49 hours', async t => {
    const view = { from: at('2026-10-22T22:00:00Z'), to: at('2026-10-28T22:00:00Z') }
    const [weekend] = web.listWeekends(view, zurich)
    t.same(weekend, { from: at('2026-10-23T22:00:00Z'), to: at('2026-10-25T23:00:00Z') })
  })

  await t.test('ticks of a day are at full hours of local time', async t => {
    const number = Math.floor(at('2026-10-25T12:00:00Z') / day)
    const view = { from: getDayStart('Europe/Zurich', number), to: getDayStart('Europe/Zurich', number + 1) }
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Zurich',
      hour: '2-digit',
      minute: '2-digit'
    })
    const names = web.createTimeTicks(view, 540, zurich).map(({ time }) => clock.format(time * 1000))
    t.same(names, ['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00'])
    t.equal(web.createTimeTicks(view, 540, zurich)[0]!.isStrong, true, 'midnight stands out')
  })

  await t.test('ticks of months and years are at their beginnings', async t => {
    const view = { from: at('2025-11-23T00:00:00Z'), to: at('2026-11-23T00:00:00Z') }
    const months = web.createTimeTicks(view, 540, zurich)
    t.equal(months.length, 12)
    t.equal(months[0]!.time, at('2025-11-30T23:00:00Z'), 'December, in Zurich')
    t.equal(months.find(({ isStrong }) => isStrong)!.time, at('2025-12-31T23:00:00Z'), 'the year')
    const years = web.createTimeTicks({ from: at('1990-06-01T00:00:00Z'), to: view.to }, 540, zurich)
    t.ok(years.every(({ unit }) => unit === 'year') && years.length >= 5 && years.length <= 12)
  })

  await t.test('there are never more ticks than fit', async t => {
    for (let length = 20; length < 100 * 365 * day; length *= 1.7)
      for (const pixels of [260, 540, 1200]) {
        const view = { from: at('2001-03-24T13:14:15Z'), to: at('2001-03-24T13:14:15Z') + length }
        const count = web.createTimeTicks(view, pixels, zurich).length
        t.ok(count <= pixels / 28 + 3, `${count} in ${pixels} pixels of ${Math.round(length)} seconds`)
      }
  })

  await t.test('every axis of days names its months, and labels never overlap', async t => {
    const monthName = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'Europe/Zurich' })
    for (const start of ['2026-10-05T00:00:00Z', '2026-10-30T10:00:00Z', '2026-09-28T00:00:00Z'])
      for (const days of [10, 18, 30, 45, 62, 90, 130])
        for (const plot of [260, 290, 540, 1200]) {
          const view = { from: at(start), to: at(start) + days * day }
          const ticks = web.createTimeTicks(view, plot, zurich)
          if (ticks[0]?.unit !== 'day') continue
          const labels = web.placeLabels(ticks, {
            plot,
            toX: time => ((time - view.from) / (view.to - view.from)) * plot,
            measure: text => text.length * 6.5
          })
          const where = `${days} days from ${start} in ${plot} pixels: ${labels.map(({ text }) => text).join(', ')}`
          const [first = '', ...later] = new Set(ticks.map(({ time }) => monthName.format(time * 1000)))
          for (const name of later.length > 0 ? later : [first])
            t.ok(
              labels.some(({ text }) => text.includes(name)),
              `${name} in ${where}`
            )
          t.notOk(
            labels.some(({ width, x }, index) => {
              const before = labels[index - 1]
              return before && x - before.x < (width + before.width) / 2
            }),
            `no overlap: ${where}`
          )
        }
  })

  await t.test('ticks of values are at round numbers', async t => {
    t.same(web.createValueTicks(40, 180, 5), [60, 90, 120, 150, 180])
    t.same(web.createValueTicks(61.2, 63.4, 4), [62, 63])
    t.same(web.createValueTicks(0.1, 0.35, 3), [0.1, 0.2, 0.3])
    t.same(web.createValueTicks(5, 5, 3), [5])
    t.same(web.createValueTicks(NaN, 5, 3), [])
    t.same(web.createValueTicks(-1e308, 1e308, 3), [], 'or not at all')
  })

  await t.test('overlapping marks are merged, and none is lost', async t => {
    const view = { from: 0, to: 1000 }
    t.same(
      web
        .mergeMarks([mark(100), mark(105), mark(500)], view, 1000, { gap: 22, inset: 15 })
        .map(({ marks }) => marks.length),
      [2, 1]
    )
    const random = seeded(t)
    for (const _ of Array(100)) {
      const marks = Array.from({ length: random.below(200) }, () => mark(random.below(1000))).toSorted(
        (a, b) => a.time - b.time
      )
      const clusters = web.mergeMarks(marks, view, 600, { gap: 22, inset: 15 })
      t.equal(
        clusters.reduce((sum, each) => sum + each.marks.length, 0),
        marks.length,
        'all are there'
      )
      t.notOk(
        clusters.some(({ x }, index) => index > 0 && x - clusters[index - 1]!.x < 21.9),
        'none overlap'
      )
      t.ok(
        clusters.every(({ x }) => x >= 15 && x <= 585),
        'none is cut off at either end'
      )
    }
  })

  await t.test('zooming keeps the position under the pointer, within limits', async t => {
    const view = web.zoomView({ from: 1000, to: 2000 }, 0.5, 1250)
    t.same(view, { from: 1125, to: 1625 })
    const near = web.zoomView({ from: 0, to: 30 }, 0.001, 10)
    t.equal(near.to - near.from, 20, 'no nearer than twenty seconds')
    const far = web.panView({ from: 0, to: day }, 1e15)
    t.ok(far.to <= 8e9 && far.to - far.from === day, 'and no further than there are dates')
  })

  await t.test('lines break at gaps, and averages are smoothed over their neighbours', async t => {
    const parts = [part(0, 1), part(10, 3), part(20, 5), part(100, 7)]
    t.same(
      web.splitRuns(parts, 30).map(run => run.length),
      [3, 1]
    )
    t.same(
      web.smooth(parts, 20).map(({ mean }) => mean),
      [2, 3, 4, 7]
    )
    t.equal(web.findNearest(parts, 64)!.time, 100)
    t.equal(web.findNearest([], 5), undefined)
  })

  await t.test('a night lasts from noon to noon in local time', async t => {
    const from = at('2026-03-28T21:30:00Z')
    const periods = [
      { from, to: from + 8 * hour, stage: 'bed' },
      { from: from + hour, to: from + 3 * hour, stage: 'deep' },
      { from: from + 3 * hour, to: from + 7 * hour, stage: 'asleep' }
    ]
    const [night, ...others] = web.groupNights({ kind: 'nights', periods }, zurich)
    t.equal(others.length, 0)
    t.equal(night!.bed, 22.5)
    t.equal(night!.up, 31.5, 'half past seven, summer time')
    t.equal(web.getSleepDuration(night!), 6 * hour)
  })

  await t.test('the kind of a lane depends on the data of its streams', async t => {
    const tree = web.buildTree([
      stream('body', null, [
        stream('heart', 'body'),
        stream('weight', 'body'),
        stream('tablets', 'body'),
        stream('old', 'body')
      ]),
      stream('pressure'),
      stream('sleep'),
      stream('diary', null, [stream('notes', 'diary'), stream('photos', 'diary'), stream('mood', 'diary')]),
      stream('empty')
    ])
    const fact = (streamId: string, type: string, count: number, latest?: unknown, last = 1000 * day) => ({
      streamId,
      type,
      count,
      shownCount: count,
      first: 0,
      last,
      latest
    })
    const facts = [
      fact('heart', 'series:frequency/bpm', 1),
      fact('weight', 'mass/kg', 300, 61.9),
      fact('weight', 'note/txt', 2, 'after the holiday'),
      fact('tablets', 'mass/mg', 900, 2.5),
      fact('old', 'frequency/bpm', 90_000, 60, day),
      fact('pressure', 'blood-pressure/mmhg-bpm', 40, { systolic: 120, diastolic: 80 }),
      fact('sleep', 'sleep/analysis', 900, { analysis: 'asleep' }),
      fact('notes', 'note/txt', 30, 'hello'),
      fact('photos', 'picture/attached', 10),
      fact('mood', 'mood/rating', 20, 0.5)
    ]
    const plan = (id: string) => web.planLane(tree.find(id)!, tree, facts)
    t.same(
      ['heart', 'weight', 'tablets', 'pressure', 'sleep', 'notes', 'diary'].map(id => plan(id)?.kind),
      ['series', 'numbers', 'numbers', 'pairs', 'nights', 'marks', 'marks']
    )
    t.same(plan('weight')!.types, ['mass/kg'], 'one line of one kind')
    t.same(plan('diary')!.streamIds, ['notes', 'photos'], 'what lies below, but no numbers among it')
    t.equal(plan('empty'), undefined)
    t.equal(plan('weight')!.unit, 'kg')
    web.loadDisplayUnits({ mass: 'lb' })
    t.equal(plan('weight')!.unit, 'lb', 'in the unit that is wanted')
    web.loadDisplayUnits({ mass: 'kg' })
    t.same(
      web.chooseDefaultLanes(tree, facts, []),
      ['heart', 'weight', 'pressure', 'sleep', 'diary', 'mood'],
      'those in use, the most wanted first'
    )
    t.same(web.chooseDefaultLanes(tree, [], []), [])
    const brought = web.buildTree([
      stream('Health', null, [
        stream('Pulse', 'Health', [stream('Watch', 'Pulse')]),
        stream('Steps', 'Health', [stream('Phone', 'Steps'), stream('Band', 'Steps')])
      ])
    ])
    const nameOf = (id: string) =>
      web.planLane(brought.find(id)!, brought, [fact(id, 'count/steps', 1, 5)])?.name
    t.same(
      ['Watch', 'Phone', 'Pulse'].map(nameOf),
      ['Pulse: Watch', 'Phone', 'Pulse'],
      'a source alone is named after what it measures'
    )
  })

  await t.test('an app that has expired and can renew its access still sees a stream', async t => {
    const now = Date.now() / 1000
    const permissions = [{ streamId: 'weight', level: 'read' }]
    const expired = { type: 'app', expires: now - 3600, permissions }
    const idle = { ...expired, oauth: { renewableUntil: now + 3600 } }
    const accesses = [expired, idle, { ...idle, deleted: now - 60 }]
    const tree = web.buildTree([stream('weight')])
    const plan = { stream: { id: 'weight' }, streamIds: ['weight'] }
    t.same(web.listReaders(plan, tree, accesses), [idle])
    const seen = web.listStreamAccesses(accesses, ['weight'], now)
    t.same(
      seen.map(({ access }) => access),
      [idle]
    )
  })

  await t.test('preset ranges are whole days, even when clocks change', async t => {
    const month = web.createPresetView('month', at('2026-11-22T18:00:00Z'), zurich)
    t.same(month, { from: at('2026-10-23T22:00:00Z'), to: at('2026-11-22T23:00:00Z') })
    const before = web.stepView(month, -1, zurich)
    t.equal(before.to, month.from, 'earlier ends where this begins')
    t.same(web.stepView(before, 1, zurich), month, 'and back')
    const title = web.createTitle(month, undefined, zurich, at('2026-11-22T18:00:00Z'))
    t.same(
      { ...title, detail: spaced(title.detail) },
      { main: 'Last 30 days', detail: '24 October – 22 November 2026' }
    )
    const today = web.createPresetView('day', at('2026-11-22T18:00:00Z'), zurich)
    t.same(web.createTitle(today, undefined, zurich, at('2026-11-22T18:00:00Z')), {
      main: 'Today',
      detail: '22 November 2026'
    })
    t.equal(
      spaced(web.createTitle(before, undefined, zurich, at('2026-11-22T18:00:00Z')).main),
      '24 September – 23 October 2026'
    )
    const evening = web.getDayPart(at('2026-10-25T19:00:00Z'), zurich)
    t.same(evening, { name: 'evening', from: at('2026-10-25T16:00:00Z'), to: at('2026-10-25T23:00:00Z') })
  })

  await t.test('the view ignores URLs that it has written itself', async t => {
    const model = new web.TimelineModel(new URLSearchParams('from=1000&to=2000'), zurich)
    t.same(model.view.value, { from: 1000, to: 2000 })
    model.noteWritten(new URLSearchParams('from=1000&to=2000'))
    model.show({ from: 1500, to: 2500 })
    model.applyQuery(new URLSearchParams('from=1000&to=2000'))
    t.same(model.view.value, { from: 1500, to: 2500 }, 'somebody has moved on')
    model.applyQuery(new URLSearchParams('from=3000&to=4000'))
    t.same(model.view.value, { from: 3000, to: 4000 }, 'a link leads elsewhere')
    model.applyQuery(new URLSearchParams('from=1000&to=2000'), true)
    t.same(model.view.value, { from: 1000, to: 2000 }, 'and going back leads back')
    model.applyQuery(new URLSearchParams('from=nonsense&to=1e999'))
    t.same(model.view.value, { from: 1000, to: 2000 })
  })

  await t.test('a lane is described in a sentence, and at the cursor', async t => {
    const view = web.createPresetView('month', at('2026-11-22T18:00:00Z'), zurich)
    const part = (days: number, mean: number): Part => ({
      time: view.from + days * day,
      count: 1,
      min: mean,
      max: mean,
      mean
    })
    const weights = {
      kind: 'band',
      step: 4000,
      parts: [part(-3, 65), part(1, 63.1), part(15, 62.4), part(29, 61.9)]
    }
    const plan = { name: 'Weight', kind: 'numbers', types: ['mass/kg'], unit: 'kg' }
    t.equal(
      spaced(web.describeLane(plan, weights, view, zurich)),
      'Weight, 24 October – 22 November 2026: down from 63.1 to 61.9 kg'
    )
    t.equal(web.readValueAt(weights, view.from + 15.2 * day, view, zurich)?.text, '62.4')
    t.equal(
      web.readValueAt(weights, view.from + 8 * day, view, zurich),
      undefined,
      'nothing is made up in between'
    )
    const pressures = {
      kind: 'pairs',
      step: 0,
      bars: [
        { time: view.from + day, low: 80, high: 120, count: 1 },
        { time: view.from + 2 * day, low: 82, high: 130, count: 1 }
      ]
    }
    const pressure = { name: 'Pressure', kind: 'pairs', types: ['blood-pressure/mmhg-bpm'], unit: 'mmHg' }
    t.equal(
      spaced(web.describeLane(pressure, pressures, view, zurich)),
      'Pressure, 24 October – 22 November 2026: 2 measurements, average 125/81 mmHg'
    )
    t.equal(web.readValueAt(pressures, view.from + day, view, zurich)?.text, '120/80')
    const nothing = { kind: 'marks', marks: [] }
    t.equal(
      spaced(web.describeLane({ ...plan, kind: 'marks' }, nothing, view, zurich)),
      'Weight, 24 October – 22 November 2026: No data in this period'
    )
    t.match(spaced(web.describeLane({ ...plan, unit: 'lb' }, weights, view, zurich)), / lb$/)
  })
})
