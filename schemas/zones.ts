/**
 * Time zones of events, and calendar days in them. Has no imports: pages use it as well as the service.
 * (docs/spec/events.md#time-zones)
 */

/** Key in the `clientData` of an event: the zone in which it was created. */
export const zoneKey = 'coffer:zone'
/** Key in the private profile set: the zones in which the user has been. */
export const zonesKey = 'coffer:zones'

/** A zone, in effect from a time on (seconds) until the next period. */
export interface ZonePeriod {
  readonly from: number
  /** Name as in the IANA time zone database. */
  readonly zone: string
}

/**
 * A calendar day in a zone: it may have 23 or 25 hours, or none at all if the zone has skipped the day. Times in
 * seconds.
 */
interface LocalDay {
  /** Days since 1 January 1970, by the calendar of the zone. */
  readonly number: number
  /** When the day begins. */
  readonly from: number
  /** When the next day begins. */
  readonly to: number
}

/** Maximum number of cached formatters: creating one takes longer than using it a hundred times. */
const maxCached = 100
/** Names of valid zones, in lower case; bounded by the number of zones. */
const validZones = new Set<string>()
const formatters = new Map<string, Intl.DateTimeFormat>()
const zonePattern = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/
const maxZoneLength = 64
/** Maximum distance of dates from 1970, in seconds. */
export const maxSeconds = 8.64e12
const daySeconds = 86_400
/** More than any zone has ever been ahead of or behind UTC, in seconds. */
const maxOffset = 17 * 3600

/** Returns whether a name is that of a zone in the IANA time zone database. */
export function isZone(name: unknown): name is string {
  if (typeof name !== 'string' || name.length > maxZoneLength || !zonePattern.test(name)) return false
  const key = name.toLowerCase()
  if (validZones.has(key)) return true
  try {
    getFormatter(name)
    validZones.add(key)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the zone of an event: its own zone, else the zone of the period in which it lies, else the first known zone,
 * else UTC. Periods are in order of time.
 */
export function resolveZone(
  { clientData, time }: { readonly time: number; readonly clientData?: Readonly<Record<string, unknown>> },
  periods: readonly ZonePeriod[] = []
): string {
  const ownZone = clientData && Object.hasOwn(clientData, zoneKey) ? clientData[zoneKey] : undefined
  if (isZone(ownZone)) return ownZone
  const period = periods.findLast(({ from }) => from <= time) ?? periods[0]
  return period?.zone ?? 'UTC'
}

/** Returns by how many seconds a zone is ahead of UTC at a time. Throws `RangeError` for unknown zones. */
export function getOffset(zone: string, time: number): number {
  const ms = Math.max(-maxSeconds, Math.min(Math.floor(time), maxSeconds)) * 1000
  const name = getFormatter(zone)
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName')
  const [, sign, hours, minutes, seconds = '0'] =
    /([+\-\u2212])(\d+):(\d+)(?::(\d+))?/.exec(name?.value ?? '') ?? []
  if (sign === undefined) return 0
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '+' ? offset : -offset
}

/**
 * Returns the day in which a time lies; for times beyond 1e16 seconds, the one there. Days of a zone follow each other
 * without gaps, whatever its clocks do. Throws `RangeError` for unknown zones.
 */
export function getLocalDay(zone: string, time: number): LocalDay {
  // Beyond whole numbers, days would be counted without an end.
  const at = Math.max(-1e16, Math.min(time, 1e16))
  let number = Math.floor((at + getOffset(zone, at)) / daySeconds)
  // Clocks that were set back over midnight show a date that has already begun.
  let to = getDayStart(zone, number + 1)
  while (to <= at) to = getDayStart(zone, ++number + 1)
  return { number, from: getDayStart(zone, number), to }
}

/**
 * Returns when the day with a number begins, in seconds: as soon as clocks in the zone show its date, or a
 * later one. Throws `RangeError` for unknown zones.
 */
export function getDayStart(zone: string, number: number): number {
  const midnight = number * daySeconds
  const [low, high] = [midnight - maxOffset, midnight + maxOffset]
  const [before, after] = [getOffset(zone, low), getOffset(zone, high)]
  if (before === after) return midnight - before
  const change = findOffsetChange(zone, low, high, before)
  if (midnight - before < change) return midnight - before
  return Math.max(change, midnight - after)
}

/**
 * Formats the date of a day, as `2026-03-29`; years with more than four digits as in ECMAScript. Throws `RangeError`
 * for dates out of range.
 */
export function formatDate(number: number): string {
  return new Date(number * daySeconds * 1000).toISOString().replace(/T.*/, '')
}

/**
 * Parses a date such as `2026-03-29` into days since 1 January 1970; `undefined` for other texts, and for dates that do not
 * exist: `Date.parse` makes 30 February 2 March.
 */
export function parseDate(text: string): number | undefined {
  const number = Date.parse(`${text}T00:00:00Z`) / (daySeconds * 1000)
  const isDate = text.length === 10 && Number.isInteger(number) && formatDate(number) === text
  return isDate ? number : undefined
}

/** Times of RFC 3339, with or without seconds. No zone has ever been further from UTC than these offsets. */
const timePattern =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/i

/** Parses a time such as `2026-03-29T12:30:00+02:00` into seconds; `undefined` for other texts, and for times that do not exist. */
export function parseTime(text: string): number | undefined {
  const [, date] = timePattern.exec(text) ?? []
  return date === undefined || parseDate(date) === undefined
    ? undefined
    : Date.parse(text.toUpperCase()) / 1000
}

/**
 * Returns the first second between `low` and `high` at which a zone has another offset than `before`, which is that at `low`. At `high` it
 * must have another one. Throws `RangeError` for unknown zones.
 */
export function findOffsetChange(zone: string, low: number, high: number, before: number): number {
  let [same, other] = [low, high]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (getOffset(zone, middle) === before) same = middle
    else other = middle
  }
  return other
}

function getFormatter(zone: string): Intl.DateTimeFormat {
  const cached = formatters.get(zone)
  if (cached) return cached
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  if (formatters.size >= maxCached) formatters.clear()
  formatters.set(zone, formatter)
  return formatter
}
