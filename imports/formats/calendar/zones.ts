/** Time zones that a calendar describes itself, and times in them. (RFC 5545, 3.6.5) */
import { fromLocal, isPlausible, timeOf, type Parts } from '../../text/times.js'
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
  rule: Rule | undefined
  /** Further times at which it begins. */
  dates: number[]
}

/** The day of a year on which an observance begins: what is missing is as at its start. */
interface Rule {
  readonly month: number | undefined
  readonly weekday: number | undefined
  readonly nth: number | undefined
  readonly monthDays: readonly number[]
}

/** A local time from which on an offset holds. */
interface Onset {
  readonly at: number
  readonly to: number
}

/** Times of one zone that is described by its changes. */
export class DescribedZone {
  /** Name in the database of zones, where the description gives one. */
  name: string | undefined
  readonly #observances: Observance[] = []
  /** Onsets by years, with the one that a year begins with. */
  readonly #years = new Map<number, readonly Onset[]>()
  #rules = 0
  #dates = 0

  begin(): void {
    if (this.#observances.length < mostObservances)
      this.#observances.push({ start: NaN, until: Infinity, from: NaN, to: NaN, rule: undefined, dates: [] })
  }

  /** Takes a line of the observance that has begun last. */
  add({ name, value }: ContentLine): void {
    const last = this.#observances.at(-1)
    if (!last) return
    if (name === 'DTSTART') last.start = localTime(value)
    else if (name === 'TZOFFSETFROM') last.from = offsetIn(value)
    else if (name === 'TZOFFSETTO') last.to = offsetIn(value)
    else if (name === 'RRULE' && ++this.#rules <= mostRules) {
      const rule = value.slice(0, longestRule).toUpperCase()
      last.rule = ruleIn(rule)
      const until = /UNTIL=(\w+)/.exec(rule)?.[1]
      // In UTC; a day more or less does not matter, as the next observance decides.
      if (until !== undefined) last.until = localTime(until) + 86_400
    } else if (name === 'RDATE') {
      const dates = value.split(',', mostDates - this.#dates).map(localTime)
      this.#dates += dates.length
      last.dates.push(...dates)
    }
  }

  /** Returns the time of a local time (both in seconds); `NaN` where the zone does not tell. */
  timeOf(local: number): number {
    // So that there are not many years.
    if (!isPlausible(local)) return local
    const year = new Date(local * 1000).getUTCFullYear()
    let onsets = this.#years.get(year)
    if (!onsets) this.#years.set(year, (onsets = this.#onsetsIn(year)))
    let [latest, offset] = [-Infinity, NaN]
    for (const { at, to } of onsets) if (at <= local && at > latest) [latest, offset] = [at, to]
    if (latest > -Infinity) return local - offset
    const first = this.#known.toSorted((a, b) => a.start - b.start)[0]
    return first ? local - first.from : NaN
  }

  get #known(): Observance[] {
    return this.#observances.filter(({ from, start, to }) => start === start && to === to && from === from)
  }

  #onsetsIn(year: number): Onset[] {
    const [from, to] = [Date.UTC(year, 0, 1) / 1000, Date.UTC(year + 1, 0, 1) / 1000]
    let before: Onset = { at: -Infinity, to: NaN }
    const onsets: Onset[] = []
    for (const each of this.#known) {
      const { dates, rule, start, until } = each
      const at = lastOnset(each, from)
      if (at > before.at) before = { at, to: each.to }
      const yearly = rule ? onsetIn(year, rule, start) : NaN
      const own = [start, ...dates, yearly <= until ? yearly : NaN]
      for (const onset of own)
        if (onset > from && onset < to && onset >= start) onsets.push({ at: onset, to: each.to })
    }
    return [before, ...onsets]
  }
}

const mostObservances = 500
/** Of one zone. */
const mostDates = 5000
const mostRules = 100
const longestRule = 500

/** Reads a yearly rule; `undefined` for others. */
function ruleIn(text: string): Rule | undefined {
  if (!text.includes('FREQ=YEARLY')) return undefined
  const month = /BYMONTH=(\d+)/.exec(text)?.[1]
  const [, nth, weekday] = /BYDAY=([+-]?\d)?(SU|MO|TU|WE|TH|FR|SA)/.exec(text) ?? []
  return {
    month: month === undefined ? undefined : Number(month) - 1,
    weekday: weekday === undefined ? undefined : days.indexOf(weekday),
    nth: nth === undefined ? undefined : Number(nth),
    monthDays: (/BYMONTHDAY=([\d,]+)/.exec(text)?.[1] ?? '').split(',').filter(Boolean).map(Number)
  }
}

/** Returns when an observance has begun last before a local time; `-Infinity` if it has not. */
function lastOnset({ dates, rule, start, until }: Observance, local: number): number {
  if (local < start) return -Infinity
  let last = start
  for (const each of dates) if (each <= local && each > last) last = each
  if (!rule) return last
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

/** Returns the day of a year on which a rule falls, at the hour of its start; `NaN` if there is none. */
function onsetIn(year: number, rule: Rule, start: number): number {
  const clock = ((start % 86_400) + 86_400) % 86_400
  const begun = new Date(start * 1000)
  const { month = begun.getUTCMonth(), monthDays, weekday } = rule
  if (weekday === undefined) return Date.UTC(year, month, monthDays[0] ?? begun.getUTCDate()) / 1000 + clock
  const nth = rule.nth ?? (monthDays.length > 0 ? 0 : 1)
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const matching: number[] = []
  const first = 1 + ((weekday - new Date(Date.UTC(year, month, 1)).getUTCDay() + 7) % 7)
  for (let day = first; day <= length; day += 7)
    if (monthDays.length === 0 || monthDays.includes(day)) matching.push(day)
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
    const tail = /(?<![A-Za-z_])[A-Za-z_]+\/[A-Za-z_+-]+(?:\/[A-Za-z_+-]+)?\d*$/.exec(id)?.[0]
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
