/** Time zones that a calendar describes itself, and times in them. (RFC 5545, 3.6.5) */
import { fromLocal, timeOf, type Parts } from '../../text/times.js'
import { zoneOf } from '../../text/zones.js'
import type { ContentLine } from './lines.js'

const days = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** When an offset begins to hold, each year or once. Local times in seconds, as if they were UTC. */
interface Observance {
  start: number
  until: number
  /** Seconds east of Greenwich, before and from then on. */
  from: number
  to: number
  rule: string
  /** Further times at which it begins. */
  dates: number[]
}

/** Times of one zone that is described by its changes. */
export class DescribedZone {
  /** Name in the database of zones, where the description gives one. */
  name: string | undefined
  readonly #observances: Observance[] = []

  begin(): void {
    if (this.#observances.length < mostObservances)
      this.#observances.push({ start: NaN, until: Infinity, from: NaN, to: NaN, rule: '', dates: [] })
  }

  /** Takes a line of the observance that has begun last. */
  add({ name, value }: ContentLine): void {
    const last = this.#observances.at(-1)
    if (!last) return
    if (name === 'DTSTART') last.start = localTime(value)
    else if (name === 'TZOFFSETFROM') last.from = offsetIn(value)
    else if (name === 'TZOFFSETTO') last.to = offsetIn(value)
    else if (name === 'RRULE') {
      last.rule = value.toUpperCase()
      const until = /UNTIL=(\w+)/.exec(last.rule)?.[1]
      // In UTC; a day more or less does not matter, as the next observance decides.
      if (until !== undefined) last.until = localTime(until) + 86_400
    } else if (name === 'RDATE' && last.dates.length < mostDates)
      last.dates.push(...value.split(',').slice(0, mostDates).map(localTime))
  }

  /** Returns the time of a local time (both in seconds); `NaN` where the zone does not tell. */
  timeOf(local: number): number {
    const known = this.#observances.filter(
      ({ from, start, to }) => start === start && to === to && from === from
    )
    let [latest, offset] = [-Infinity, NaN]
    for (const each of known) {
      const onset = lastOnset(each, local)
      if (onset > latest) [latest, offset] = [onset, each.to]
    }
    if (latest > -Infinity) return local - offset
    const first = known.toSorted((a, b) => a.start - b.start)[0]
    return first ? local - first.from : NaN
  }
}

const mostObservances = 500
const mostDates = 500

/** Returns when an observance has begun last before a local time; `-Infinity` if it has not. */
function lastOnset({ dates, rule, start, until }: Observance, local: number): number {
  if (local < start) return -Infinity
  let last = start
  for (const each of dates) if (each <= local && each > last) last = each
  if (rule === '') return last
  const year = new Date(local * 1000).getUTCFullYear()
  for (const each of [year - 1, year]) {
    const onset = onsetIn(each, rule, start)
    if (onset > last && onset <= local && onset <= until) last = onset
  }
  // Where a rule has ended, its last year is the one that counts.
  if (last === start && until < local) {
    const final = new Date(until * 1000).getUTCFullYear()
    for (const each of [final - 1, final]) {
      const onset = onsetIn(each, rule, start)
      if (onset > last && onset <= until) last = onset
    }
  }
  return last
}

/** Returns the day of a year on which a yearly rule falls, at the hour of its start; `NaN` for other rules. */
function onsetIn(year: number, rule: string, start: number): number {
  if (!rule.includes('FREQ=YEARLY')) return NaN
  const clock = ((start % 86_400) + 86_400) % 86_400
  const begun = new Date(start * 1000)
  const month = Number(/BYMONTH=(\d+)/.exec(rule)?.[1] ?? begun.getUTCMonth() + 1) - 1
  const byDay = /BYDAY=([+-]?\d)?(SU|MO|TU|WE|TH|FR|SA)/.exec(rule)
  const monthDays = (/BYMONTHDAY=([\d,]+)/.exec(rule)?.[1] ?? '').split(',').filter(Boolean).map(Number)
  if (!byDay) return Date.UTC(year, month, monthDays[0] ?? begun.getUTCDate()) / 1000 + clock
  const weekday = days.indexOf(byDay[2]!)
  const nth = Number(byDay[1] ?? (monthDays.length > 0 ? 0 : 1))
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const matching: number[] = []
  for (let day = 1; day <= length; day++)
    if (
      new Date(Date.UTC(year, month, day)).getUTCDay() === weekday &&
      (monthDays.length === 0 || monthDays.includes(day))
    )
      matching.push(day)
  const day = nth < 0 ? matching.at(nth) : matching[Math.max(nth, 1) - 1]
  return day === undefined ? NaN : Date.UTC(year, month, day) / 1000 + clock
}

/** Returns seconds of a text such as `+0200` or `-023015`; `NaN` if it is none. */
function offsetIn(text: string): number {
  const parts = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text.trim())
  if (!parts) return NaN
  const seconds = Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4] ?? 0)
  return parts[1] === '-' ? -seconds : seconds
}

/** Returns a local time such as `20240501T083000` or `20240501` in seconds, as if it were UTC; `NaN` if it is none. */
export function localTime(text: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?)?Z?$/i.exec(text.trim())
  if (!parts) return NaN
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(at => Number(parts[at] ?? 0))
  return timeOf([year, month, day, hour, minute, second] as unknown as Parts)
}

/** The zones of one file. */
export class CalendarZones {
  readonly #described = new Map<string, DescribedZone>()

  describe(id: string, zone: DescribedZone): void {
    if (this.#described.size < mostZones) this.#described.set(id, zone)
  }

  /** Returns the name of a zone in the database, by its id, or what its description says. */
  nameOf(id: string): string | undefined {
    const tail = /[A-Za-z_]+\/[A-Za-z_+-]+(?:\/[A-Za-z_+-]+)?\d*$/.exec(id)?.[0]
    return (
      zoneOf(id) ??
      (id.includes('/') ? (zoneOf(tail) ?? zoneOf(tail?.slice(tail.indexOf('/') + 1))) : undefined) ??
      this.#described.get(id)?.name
    )
  }

  /** Returns the time of a local time in a zone; `NaN` where neither the database nor the file knows it. */
  timeIn(local: number, id: string): number {
    const name = this.nameOf(id)
    if (name !== undefined) return fromLocal(local, name)
    return this.#described.get(id)?.timeOf(local) ?? NaN
  }
}

const mostZones = 1000
