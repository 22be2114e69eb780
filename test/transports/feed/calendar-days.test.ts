/** Calendars over nights in which clocks are changed, as a library that calendars use reads them. */
import ICAL from 'ical.js'
import t from 'tap'
import { coffer } from '../../support/coffer.js'

const hour = 3600
const day = 24 * hour

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Returns the date and time that clocks in a zone show, such as `2026-03-29 03:00`. */
function showClock(zone: string, time: number): string {
  const formatter =
    formatters.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  formatters.set(zone, formatter)
  return formatter.format(time * 1000)
}

/** Returns the dates that a zone shows in the hours of a range, with the first time of each, in order. */
function listDates(
  zone: string,
  from: number,
  to: number
): { readonly date: string; readonly from: number }[] {
  const dates: { date: string; from: number }[] = []
  for (let time = from; time < to; time += hour / 2) {
    const [date = ''] = showClock(zone, time).split(' ')
    if (date !== dates.at(-1)?.date) dates.push({ date, from: time })
  }
  return dates.slice(1)
}

t.test('calendars over nights in which clocks are changed', async t => {
  const { alice, clock } = await coffer(t)
  const now = Math.floor(clock.now() / hour) * hour
  for (const [zone, changes] of [
    ['Europe/Zurich', 2],
    ['America/New_York', 2],
    ['America/Havana', 2],
    ['Asia/Kolkata', 0]
  ] as const) {
    const dates = listDates(zone, now - 2 * day, now + 364 * day)
    const days = dates.slice(0, -1).map((each, at) => ({ ...each, to: dates[at + 1]! }))
    const changed = days.filter(({ from, to }) => to.from - from !== day)
    t.equal(changed.length, changes, `${zone}: ${changed.map(({ date }) => date).join()}`)
    const [stream] = [zone.replace(/\W/g, '-').toLowerCase()]
    await alice.stream(stream)
    const { token } = await alice.grant('read', stream, { type: 'shared' })
    const create = async (content: string, time: number, duration: number): Promise<void> => {
      await alice.event({ streamIds: [stream], content, time, duration })
    }
    // Without changes, any days.
    const shown = changes === 0 ? days.slice(40, 42) : changed
    for (const { date, from, to } of shown) {
      await create(`day ${date}`, from, to.from - from)
      await create(`night ${date}`, from - hour, 9 * hour)
      const third = days[days.findIndex(each => each.date === to.date) + 1]!
      await create(`days ${date}`, from, third.to.from - from)
      await create(`almost ${date}`, from, to.from - from - 1)
    }
    const { service, username } = alice
    const params = new URLSearchParams({ auth: token, zone })
    const text = await (await fetch(`${service.server.url}/${username}/feed.ics?${String(params)}`)).text()
    const calendar = new ICAL.Component(ICAL.parse(text) as ConstructorParameters<typeof ICAL.Component>[0])
    const events = new Map(
      calendar.getAllSubcomponents('vevent').map(each => {
        const event = new ICAL.Event(each)
        return [event.summary.split(', ')[1], event] as const
      })
    )
    t.equal(events.size, 4 * shown.length)
    for (const { date, from, to } of shown) {
      const whole = events.get(`day ${date}`)!
      t.ok(whole.startDate.isDate)
      t.same([whole.startDate, whole.endDate].map(String), [date, to.date], zone)
      t.equal(whole.duration.toSeconds(), day, 'a day of the calendar')
      const days2 = events.get(`days ${date}`)!
      t.same(String(days2.startDate), date)
      t.equal(days2.duration.toSeconds(), 3 * day)
      const night = events.get(`night ${date}`)!
      t.notOk(night.startDate.isDate)
      t.equal(night.startDate.toUnixTime(), from - hour)
      t.equal(night.endDate.toUnixTime(), from + 8 * hour)
      t.equal(night.duration.toSeconds(), 9 * hour)
      t.match(showClock(zone, night.startDate.toUnixTime()), /2[23]:/, 'as clocks show it')
      const almost = events.get(`almost ${date}`)!
      t.notOk(almost.startDate.isDate)
      t.equal(almost.endDate.toUnixTime(), to.from - 1)
    }
  }
})
