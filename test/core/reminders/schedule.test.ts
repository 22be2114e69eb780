/** When reminders are due: compared with a plain computation, minute by minute, over two years of three zones. */
import t from 'tap'
import { findNextDue, listDueTimes, readSchedule, toDayNumber } from '../../../core/forms/schedule.js'
import type { Schedule } from '../../../schemas/plans/reminder.js'
import { seeded } from '../../support/random.js'

const daySeconds = 86_400
const at = (text: string): number => Date.parse(text) / 1000
const iso = (times: readonly number[]): string[] =>
  times.map(time => new Date(time * 1000).toISOString().slice(0, 16))
const list = (zone: string, schedule: Schedule, [after, until]: [string, string]): string[] =>
  iso(listDueTimes({ zone, schedule }, { after: at(after), until: at(until), limit: 100 }))

/** The local date and time of each minute in a zone, as clocks show it. */
function* readClock(
  zone: string,
  from: number,
  to: number
): Iterable<{ instant: number; day: number; minutes: number }> {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23'
  })
  for (let instant = from; instant < to; instant += 900) {
    const [date, time] = format.format(instant * 1000).split(', ') as [string, string]
    const [hour, minute] = time.split(':').map(Number) as [number, number]
    yield { instant, day: toDayNumber(date), minutes: hour * 60 + minute }
  }
}

/** Returns the instants of a schedule by reading the clock: times are multiples of a quarter of an hour. */
function computePlainly(schedule: Schedule, clock: ReturnType<typeof readDays>): number[] {
  const { days, everyDays, from, startsOn, times, until } = schedule
  const found = new Set<number>()
  for (const [day, readings] of clock) {
    if (from !== undefined && day < toDayNumber(from)) continue
    if (until !== undefined && day > toDayNumber(until)) continue
    // 1970-01-05 was a Monday.
    if (days && !days.includes(((((day - 4) % 7) + 7) % 7) + 1)) continue
    if (everyDays !== undefined) {
      const distance = day - toDayNumber(startsOn!)
      if (distance < 0 || distance % everyDays !== 0) continue
    }
    for (const time of times) {
      const [hour, minute] = time.split(':').map(Number) as [number, number]
      // The first instant of the day at which clocks show this time, or else a later one.
      const wanted = hour * 60 + minute
      const exact = readings.find(({ minutes }) => minutes === wanted)
      const later = readings.find(({ minutes }) => minutes > wanted)
      const chosen = exact ?? later
      if (chosen) found.add(chosen.instant)
    }
  }
  return [...found].toSorted((a, b) => a - b)
}

function readDays(
  zone: string,
  from: number,
  to: number
): Map<number, { instant: number; minutes: number }[]> {
  const days = new Map<number, { instant: number; minutes: number }[]>()
  for (const { day, instant, minutes } of readClock(zone, from, to)) {
    const known = days.get(day)
    if (known) known.push({ instant, minutes })
    else days.set(day, [{ instant, minutes }])
  }
  return days
}

t.test('schedules over daylight saving', async t => {
  const random = seeded(t)
  const [from, to] = [at('2025-12-30T00:00:00Z'), at('2028-01-04T00:00:00Z')]
  for (const zone of ['Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe']) {
    const clock = readDays(zone, from, to)
    for (let run = 0; run < 8; run++) {
      const time = (): string => {
        // Most often in the hours in which clocks change.
        const hour = random.chance(0.7) ? random.below(4) : random.below(24)
        return `${String(hour).padStart(2, '0')}:${random.pick(['00', '15', '30', '45'])}`
      }
      const date = (): string =>
        `${random.pick([2026, 2027])}-0${1 + random.below(9)}-${10 + random.below(19)}`
      const [first, last] = [date(), date()].toSorted()
      const schedule = readSchedule({
        times: Array.from({ length: 1 + random.below(3) }, time),
        ...(run % 3 === 1 && {
          days: Array.from({ length: 1 + random.below(4) }, () => 1 + random.below(7))
        }),
        ...(run % 3 === 2 && { everyDays: 1 + random.below(10), startsOn: date() }),
        ...(random.chance(0.3) && { from: first!, until: last! })
      })
      const [start, end] = [at('2026-01-01T00:00:00Z'), at('2028-01-01T00:00:00Z')]
      const expected = computePlainly(schedule, clock).filter(due => due > start && due <= end)
      const found = listDueTimes({ schedule, zone }, { after: start, until: end, limit: 10_000 })
      t.same(iso(found), iso(expected), `${zone}: ${JSON.stringify(schedule)}`)
    }
  }
})

t.test('a time that does not exist is due at the next instant of the day', async t => {
  const nights: [string, string] = ['2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z']
  t.same(list('Europe/Zurich', { times: ['02:30'] }, nights), ['2026-03-29T01:00'])
  t.same(list('Europe/Zurich', { times: ['02:15', '02:45', '03:00'] }, nights), ['2026-03-29T01:00'], 'once')
})

t.test('a time that exists twice is due once', async t => {
  const nights: [string, string] = ['2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z']
  t.same(list('Europe/Zurich', { times: ['02:30'] }, nights), ['2026-10-25T00:30'])
})

t.test('a day that does not exist in a zone is left out', async t => {
  const days: [string, string] = ['2011-12-29T00:00:00Z', '2012-01-01T12:00:00Z']
  // Samoa skipped 30 December 2011.
  t.same(list('Pacific/Apia', { times: ['12:00'] }, days), [
    '2011-12-29T22:00',
    '2011-12-30T22:00',
    '2011-12-31T22:00'
  ])
})

t.test('a schedule ends', async t => {
  const schedule = readSchedule({ times: ['08:00'], until: '2026-03-02' })
  t.equal(findNextDue({ schedule, zone: 'UTC' }, at('2026-03-02T07:59:59Z')), at('2026-03-02T08:00:00Z'))
  t.equal(findNextDue({ schedule, zone: 'UTC' }, at('2026-03-02T08:00:00Z')), undefined)
  const far = readSchedule({ times: ['08:00'], everyDays: 366, startsOn: '1970-01-01' })
  const next = findNextDue({ schedule: far, zone: 'UTC' }, at('2199-06-01T00:00:00Z'))!
  t.equal(((next - 8 * 3600) / daySeconds) % 366, 0)
})

t.test('contradictions are refused', async t => {
  for (const schedule of [
    { times: ['08:00'], from: '2026-02-30' },
    { times: ['08:00'], from: '2026-03-02', until: '2026-03-01' },
    { times: ['08:00'], everyDays: 2 },
    { times: ['08:00'], startsOn: '2026-03-02' },
    { times: ['08:00'], everyDays: 2, startsOn: '2026-03-02', days: [1] }
  ] satisfies Schedule[])
    t.throws(() => readSchedule(schedule), JSON.stringify(schedule))
})

t.test('the times of a day are found without asking for the offset of the zone again and again', t => {
  const { prototype } = Intl.DateTimeFormat
  const { formatToParts } = prototype
  let count = 0
  prototype.formatToParts = function (...args) {
    count++
    return formatToParts.apply(this, args)
  }
  t.teardown(() => (prototype.formatToParts = formatToParts))
  const times = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:30`)
  const found = list('Asia/Kathmandu', { times }, ['2026-05-03T12:00:00Z', '2026-05-04T12:00:00Z'])
  t.equal(found.length, 24)
  t.ok(count < 60, `asked ${count} times`)
  t.end()
})
