/**
 * Time zones of events, and the days that people live in them. Without any import: pages may use it as the service does.
 * (docs/spec/events.md#time-zones)
 */

/** Key in the `clientData` of an event: the zone that it was made in. */
export const zoneKey = 'coffer:zone'
/** Key in the private profile set: the zones that its person has been in. */
export const zonesKey = 'coffer:zones'

/** A zone, from a time on (seconds) until the next one. */
export interface ZonePeriod {
  readonly from: number
  /** Name as in the IANA time zone database. */
  readonly zone: string
}

/** A day as it is lived in a zone: it may have 23 or 25 hours, or none where a zone has left one out. Times in seconds. */
export interface LocalDay {
  /** Days since 1 January 1970, by the calendar of the zone. */
  readonly number: number
  /** When it begins. */
  readonly from: number
  /** When the next one begins. */
  readonly to: number
}

/** Zones of which a formatter is kept: making one takes longer than using it a hundred times. */
const maxCached = 100
/** Names that are those of zones, in lower case: as many as there are zones. */
const validZones = new Set<string>()
const formatters = new Map<string, Intl.DateTimeFormat>()
const zonePattern = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/
const maxZoneLength = 64
/** Seconds that dates reach from 1970, either way. */
const maxSeconds = 8.64e12
const daySeconds = 86_400
/** More than any zone has ever been ahead of UTC, or behind it, in seconds. */
const maxOffset = 17 * 3600

/** Whether a name is that of a zone, as in the IANA time zone database. */
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
 * The zone of an event: its own, else that of the period in which it lies, else the first that is known of, else UTC. Periods
 * are in order of time.
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

/** By how many seconds a zone is ahead of UTC at a time. Throws `RangeError` for unknown zones. */
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

/** The day in which a time lies. Days of a zone follow each other without a gap, whatever its clocks do. */
export function getLocalDay(zone: string, time: number): LocalDay {
  let number = Math.floor((time + getOffset(zone, time)) / daySeconds)
  // Clocks that were put back over midnight show a date that has begun already.
  let to = getDayStart(zone, number + 1)
  while (to <= time) to = getDayStart(zone, ++number + 1)
  return { number, from: getDayStart(zone, number), to }
}

/** When the day of a number begins: as soon as clocks in the zone show its date, or a later one. */
export function getDayStart(zone: string, number: number): number {
  const midnight = number * daySeconds
  const [low, high] = [midnight - maxOffset, midnight + maxOffset]
  const [before, after] = [getOffset(zone, low), getOffset(zone, high)]
  if (before === after) return midnight - before
  const change = findOffsetChange(zone, low, high, before)
  if (midnight - before < change) return midnight - before
  return Math.max(change, midnight - after)
}

/** The date of a day, as `2026-03-29`; years beyond four digits as ECMAScript writes them. Throws `RangeError` beyond all dates. */
export function formatDate(number: number): string {
  return new Date(number * daySeconds * 1000).toISOString().replace(/T.*/, '')
}

/** The first second with another offset than at `low`. */
function findOffsetChange(zone: string, low: number, high: number, before: number): number {
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
