/** Computes times in time zones that a calendar defines itself. (RFC 5545, 3.6.5) */
import { localToUtc, isPlausible, toTime, type DateParts } from '../../text/times.js'
import { findZone } from '../../text/zones.js'
import type { ContentLine } from './lines.js'

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** The start of an offset, once or every year. Local times in seconds, as if they were UTC. */
interface Observance {
  start: number
  /** Time until which a yearly rule applies. */
  until: number
  /** Offset from UTC in seconds, before and after the start. */
  from: number
  to: number
  rule: Rule | undefined
  /** Further starts. */
  dates: number[]
}

/**
 * The day of the year on which an observance starts. Missing parts are taken from the first start of the observance.
 */
interface Rule {
  readonly month: number | undefined
  readonly weekday: number | undefined
  readonly nth: number | undefined
  readonly monthDays: readonly number[]
}

/** A local time (seconds) and the offset that applies from then on. */
interface Transition {
  readonly at: number
  readonly offset: number
}

/** Converts local times of a zone that is defined by its changes of offset. */
export class CustomZone {
  /** IANA name, if the definition has one. */
  name: string | undefined
  readonly #observances: Observance[] = []
  /** Transitions by year, preceded by the transition in effect when the year begins. */
  readonly #transitionsByYear = new Map<number, readonly Transition[]>()
  #rules = 0
  #dates = 0

  /** Begins an observance. Ignored beyond the maximum number, so that its lines change the last one. */
  beginObservance(): void {
    if (this.#observances.length < maxObservances)
      this.#observances.push({ start: NaN, until: Infinity, from: NaN, to: NaN, rule: undefined, dates: [] })
  }

  /**
   * Adds a line of the current observance. Ignored if there is none; rules and dates beyond the limits are
   * ignored too.
   */
  addLine({ name, value }: ContentLine): void {
    const last = this.#observances.at(-1)
    if (!last) return
    if (name === 'DTSTART') last.start = parseLocalTime(value)
    else if (name === 'TZOFFSETFROM') last.from = parseOffset(value)
    else if (name === 'TZOFFSETTO') last.to = parseOffset(value)
    else if (name === 'RRULE' && ++this.#rules <= maxRules) {
      const rule = value.slice(0, maxRuleLength).toUpperCase()
      last.rule = parseRule(rule)
      const until = /UNTIL=(\w+)/.exec(rule)?.[1]
      // UTC. A day more or less does not matter, as the next observance takes precedence.
      if (until !== undefined) last.until = parseLocalTime(until) + 86_400
    } else if (name === 'RDATE') {
      const dates = value.split(',', maxDates - this.#dates).map(parseLocalTime)
      this.#dates += dates.length
      last.dates.push(...dates)
    }
  }

  /**
   * Converts a local time to UTC (both in seconds); returns `NaN` if the zone is incomplete. A time of an
   * implausible year is returned unchanged.
   */
  toUtc(local: number): number {
    // Limits the number of cached years.
    if (!isPlausible(local)) return local
    const year = new Date(local * 1000).getUTCFullYear()
    let transitions = this.#transitionsByYear.get(year)
    if (!transitions) this.#transitionsByYear.set(year, (transitions = this.#listTransitions(year)))
    let [latest, offset] = [-Infinity, NaN]
    for (const { at, offset: to } of transitions) if (at <= local && at > latest) [latest, offset] = [at, to]
    if (latest > -Infinity) return local - offset
    const first = this.#validObservances.toSorted((a, b) => a.start - b.start)[0]
    return first ? local - first.from : NaN
  }

  get #validObservances(): Observance[] {
    return this.#observances.filter(({ from, start, to }) => start === start && to === to && from === from)
  }

  /** Lists the transitions within a year (UTC), preceded by the last one before it. */
  #listTransitions(year: number): Transition[] {
    const [from, to] = [Date.UTC(year, 0, 1) / 1000, Date.UTC(year + 1, 0, 1) / 1000]
    let before: Transition = { at: -Infinity, offset: NaN }
    const transitions: Transition[] = []
    for (const each of this.#validObservances) {
      const { dates, rule, start, until } = each
      const at = findLastStart(each, from)
      if (at > before.at) before = { at, offset: each.to }
      const yearly = rule ? findYearlyStart(year, rule, start) : NaN
      const starts = [start, ...dates, yearly <= until ? yearly : NaN]
      for (const transition of starts)
        if (transition > from && transition < to && transition >= start)
          transitions.push({ at: transition, offset: each.to })
    }
    return [before, ...transitions]
  }
}

const maxObservances = 500
/** Limits for the number of dates and observances of one zone. */
const maxDates = 5000
const maxRules = 100
const maxRuleLength = 500

/** Parses a yearly rule; returns `undefined` for other rules. */
function parseRule(text: string): Rule | undefined {
  if (!text.includes('FREQ=YEARLY')) return undefined
  const month = /BYMONTH=(\d+)/.exec(text)?.[1]
  const [, nth, weekday] = /BYDAY=([+-]?\d)?(SU|MO|TU|WE|TH|FR|SA)/.exec(text) ?? []
  return {
    month: month === undefined ? undefined : Number(month) - 1,
    weekday: weekday === undefined ? undefined : weekdays.indexOf(weekday),
    nth: nth === undefined ? undefined : Number(nth),
    monthDays: (/BYMONTHDAY=([\d,]+)/.exec(text)?.[1] ?? '').split(',').filter(Boolean).map(Number)
  }
}

/** Returns the last start of an observance before a local time; `-Infinity` if it has not started by then. */
function findLastStart({ dates, rule, start, until }: Observance, local: number): number {
  if (local < start) return -Infinity
  let last = start
  for (const each of dates) if (each <= local && each > last) last = each
  if (!rule) return last
  const year = new Date(local * 1000).getUTCFullYear()
  for (const each of [year - 1, year]) {
    const transition = findYearlyStart(each, rule, start)
    if (transition > last && transition <= local && transition <= until) last = transition
  }
  // If the rule has ended, its last year applies.
  if (last === start && until < local) {
    const final = new Date(until * 1000).getUTCFullYear()
    for (const each of [final - 1, final]) {
      const transition = findYearlyStart(each, rule, start)
      if (transition > last && transition <= until) last = transition
    }
  }
  return last
}

/** Returns the time in a year at which a rule applies, at the hour of its start; `NaN` if the year has no such time. */
function findYearlyStart(year: number, rule: Rule, start: number): number {
  const clock = ((start % 86_400) + 86_400) % 86_400
  const started = new Date(start * 1000)
  const { month = started.getUTCMonth(), monthDays, weekday } = rule
  if (weekday === undefined) return Date.UTC(year, month, monthDays[0] ?? started.getUTCDate()) / 1000 + clock
  const nth = rule.nth ?? (monthDays.length > 0 ? 0 : 1)
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const matching: number[] = []
  const first = 1 + ((weekday - new Date(Date.UTC(year, month, 1)).getUTCDay() + 7) % 7)
  for (let day = first; day <= length; day += 7)
    if (monthDays.length === 0 || monthDays.includes(day)) matching.push(day)
  const day = nth < 0 ? matching.at(nth) : matching[Math.max(nth, 1) - 1]
  return day === undefined ? NaN : Date.UTC(year, month, day) / 1000 + clock
}

/** Parses an offset such as `+0200` or `-023015` into seconds; returns `NaN` if it is invalid. */
function parseOffset(text: string): number {
  const parts = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text.trim())
  if (!parts || Number(parts[2]) > 23 || Number(parts[3]) > 59 || Number(parts[4] ?? 0) > 59) return NaN
  const seconds = Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4] ?? 0)
  return parts[1] === '-' ? -seconds : seconds
}

/** Parses a local time such as `20240501T083000` or `20240501` into seconds, as if it were UTC; returns `NaN` if it is invalid. */
export function parseLocalTime(text: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?)?Z?$/i.exec(text.trim())
  if (!parts) return NaN
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(at => Number(parts[at] ?? 0))
  return toTime([year, month, day, hour, minute, second] as unknown as DateParts)
}

/** The time zones of one file. */
export class CalendarZones {
  readonly #definedZones = new Map<string, CustomZone>()

  /** Adds a time zone that the file defines; ignored beyond the maximum number. */
  define(id: string, zone: CustomZone): void {
    if (this.#definedZones.size < maxZones) this.#definedZones.set(id, zone)
  }

  /** Returns the IANA name of a zone, by its id or its definition. Returns `undefined` if neither has one. */
  findName(id: string): string | undefined {
    const tail = /(?<![A-Za-z_])[A-Za-z_]+\/[A-Za-z_+-]+(?:\/[A-Za-z_+-]+)?\d*$/.exec(id)?.[0]
    return (
      findZone(id) ??
      (id.includes('/') ? (findZone(tail) ?? findZone(tail?.slice(tail.indexOf('/') + 1))) : undefined) ??
      this.#definedZones.get(id)?.name
    )
  }

  /** Converts a local time in a zone to UTC; returns `NaN` if neither the IANA database nor the file defines the zone. */
  toUtc(local: number, id: string): number {
    const name = this.findName(id)
    if (name !== undefined) return localToUtc(local, name)
    return this.#definedZones.get(id)?.toUtc(local) ?? NaN
  }
}

const maxZones = 1000
