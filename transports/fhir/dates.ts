/** Dates to search for, with their prefixes. (http://hl7.org/fhir/R4/search.html#date) */
import { refuse } from './outcome.js'

/** Times in seconds; the end of an instant is its start. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What times have to meet. */
export interface DateFilter {
  /** What meets the filter ends at this time, in seconds, or later; `undefined`: at any time. */
  readonly from: number | undefined
  /** What meets the filter begins at this time, in seconds, or earlier. It may be before `from`: of what lasts from here to there. */
  readonly to: number | undefined
  /** Returns whether a span of time meets all values of the parameter. */
  matches(span: Span): boolean
}

type Prefix = 'eq' | 'ne' | 'gt' | 'lt' | 'ge' | 'le' | 'sa' | 'eb' | 'ap'

/** Whether a span meets a date, which is a span without its end. */
const tests: Readonly<Record<Prefix, (span: Span, date: Span) => boolean>> = {
  eq: ({ end, start }, date) => start >= date.start && end < date.end,
  ne: (span, date) => !tests.eq(span, date),
  gt: ({ end }, date) => end >= date.end,
  lt: ({ start }, date) => start < date.start,
  ge: ({ end }, date) => end >= date.start,
  le: ({ start }, date) => start < date.end,
  sa: ({ start }, date) => start >= date.end,
  eb: ({ end }, date) => end < date.start,
  ap: ({ end, start }, date) => start < date.end && end >= date.start
}
/** At which end of a date what meets a prefix begins, or ends; absent: at any time. */
const firstEnds: Partial<Record<Prefix, keyof Span>> = {
  eq: 'start',
  gt: 'end',
  ge: 'start',
  sa: 'end',
  ap: 'start'
}
const lastEnds: Partial<Record<Prefix, keyof Span>> = {
  eq: 'end',
  lt: 'start',
  le: 'end',
  eb: 'start',
  ap: 'end'
}

/**
 * Parses the values of a parameter. `now`: seconds. Refuses values that are no dates, and several dates in
 * one value.
 */
export function parseDates(name: string, lists: readonly (readonly string[])[], now: number): DateFilter {
  const all = lists.map(values => {
    if (values.length !== 1) refuse('not-supported', `Repeat "${name}" instead of listing several dates`)
    return parseDate(name, values[0]!, now)
  })
  const pick = (places: typeof firstEnds): number[] =>
    all.flatMap(({ date, prefix }) => (places[prefix] ? date[places[prefix]] : []))
  const [starts, ends] = [pick(firstEnds), pick(lastEnds)]
  return {
    from: starts.length > 0 ? Math.max(...starts) : undefined,
    to: ends.length > 0 ? Math.min(...ends) : undefined,
    matches: span => all.every(({ date, prefix }) => tests[prefix](span, date))
  }
}

const pattern =
  /^(eq|ne|gt|lt|ge|le|sa|eb|ap)?(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+ -](?:0\d|1[0-5]):[0-5]\d)?)?)?)?$/

/**
 * Parses a date or time as the range that its precision means, in seconds; with `ap`, a tenth of its distance from
 * now is added on both sides. Refuses any other text.
 */
function parseDate(name: string, text: string, now: number): { prefix: Prefix; date: Span } {
  const [, given = 'eq', year, month, day, hour, minute, second, fraction, zone = 'Z'] =
    pattern.exec(text) ?? []
  const prefix = given as Prefix
  const [y, m, d] = [Number(year), Number(month ?? 1), Number(day ?? 1)]
  const [h, min, s] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)]
  if (year === undefined || y < 100 || !isDay(y, m, d) || h > 23 || min > 59 || s > 59)
    return refuse('invalid', `"${name}" must be a date such as ge2026-03-29, or a time with a zone`)
  const start = Date.UTC(y, m - 1, d, h, min, s) / 1000 + Number(`0.${fraction ?? 0}`) - parseOffset(zone)
  const end =
    month === undefined
      ? Date.UTC(y + 1, 0, 1) / 1000
      : day === undefined
        ? Date.UTC(y, m, 1) / 1000
        : start + getPrecision({ hour, second, fraction })
  if (prefix !== 'ap') return { prefix, date: { start, end } }
  const margin = Math.abs(now - start) / 10
  return { prefix, date: { start: start - margin, end: end + margin } }
}

/** Returns whether a month has a day with this number. Months count from 1. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** Seconds for which a time stands. */
function getPrecision(given: {
  readonly hour: string | undefined
  readonly second: string | undefined
  readonly fraction: string | undefined
}): number {
  if (given.hour === undefined) return 86_400
  if (given.second === undefined) return 60
  return given.fraction === undefined ? 1 : 10 ** -given.fraction.length
}

/** Returns the seconds of an offset. In a query, a plus sign that is not encoded is a space. */
function parseOffset(zone: string): number {
  if (zone === 'Z') return 0
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4)) * 60
  return zone.startsWith('-') ? -seconds : seconds
}
