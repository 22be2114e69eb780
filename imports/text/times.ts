/** Parses times into seconds since the epoch. */

/** Times outside of this range are considered errors. */
const [minTime, maxTime] = [Date.UTC(1850, 0, 1) / 1000, Date.UTC(2200, 0, 1) / 1000]

/** Returns true if a time (seconds) is plausible for a record. */
export function isPlausible(time: number): boolean {
  return time >= minTime && time <= maxTime
}

const isoPattern =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[T ]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s*(Z|UTC|[+-]\d\d:?(?:\d\d)?)?$/i

/**
 * Parses a time such as `2024-10-27 00:00:05 +0200` or `2024-10-27T00:00:05.5Z`; returns `NaN` if it is invalid. Without an offset
 * it is local to `zone`, or UTC.
 */
export function parseIsoTime(text: string, zone?: string): number {
  const fastResult = parseAppleTime(text)
  if (fastResult === fastResult) return fastResult
  const parts = isoPattern.exec(text.trim())
  if (!parts) return NaN
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = parts
  return toTime(
    [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)],
    fraction === '' ? 0 : Number(`0.${fraction}`),
    offset,
    zone
  )
}

/** Returns true if text has the form of a date or time that {@link parseIsoTime} parses, whether or not that exists. */
export function isIsoTime(text: string): boolean {
  return isoPattern.test(text.trim())
}

/** Returns true if a time has an offset. */
export function hasOffset(text: string): boolean {
  return /(?:Z|UTC|\d[+ -]\s*[+-]?\d\d:?\d\d)$/i.test(text.trim()) && /\d:\d\d/.test(text)
}

/** Year, month (from 1), day, hour, minute, second. */
export type DateParts = readonly [number, number, number, number, number, number]

/**
 * Returns the time of a date in seconds; `NaN` if there is no such date. Without an offset it is local to
 * `zone`, or UTC.
 */
export function toTime(
  [year, month, day, hour, minute, second]: DateParts,
  fraction = 0,
  offset?: string,
  zone?: string
): number {
  if (month < 1 || month > 12 || day < 1 || day > 31 || minute > 59 || second > 60) return NaN
  // A day ends at 24:00:00.
  if (hour * 3600 + minute * 60 + second > secondsPerDay) return NaN
  // `Date.UTC` treats years below 100 as those of the 20th century.
  const cycles = year < 100 ? 1 : 0
  const start = Date.UTC(year + cycles * 400, month - 1, day) / 1000
  if (new Date(start * 1000).getUTCDate() !== day) return NaN
  const utc = start - cycles * secondsPerCycle + hour * 3600 + minute * 60 + second + fraction
  if (offset !== undefined && offset !== '') return utc - parseOffset(offset)
  return zone === undefined ? utc : localToUtc(utc, zone)
}

/** Seconds of a usual day. */
const secondsPerDay = 86_400
/** Seconds of 400 years, after which the calendar repeats. */
const secondsPerCycle = 146_097 * secondsPerDay

/** Maximum distance of a zone from UTC, in seconds. */
const maxOffset = 15 * 3600

/** Parses an offset into seconds east of UTC; returns `NaN` if no zone can have it. */
function parseOffset(text: string): number {
  if (/^(?:z|utc)$/i.test(text)) return 0
  const minutes = Number(text.slice(3).replace(':', '') || 0)
  const seconds = Number(text.slice(1, 3)) * 3600 + minutes * 60
  if (!(minutes < 60 && seconds <= maxOffset)) return NaN
  return text.startsWith('-') ? -seconds : seconds
}

/** Days that each month has in every year. */
const minMonthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Parses `2024-10-27 00:00:05 +0200` digit by digit, as files contain millions of these; returns `NaN` for everything else. */
function parseAppleTime(text: string): number {
  if (text.length !== 25 || text.charCodeAt(10) !== 32 || text.charCodeAt(19) !== 32) return NaN
  const year = parseTwoDigits(text, 0) * 100 + parseTwoDigits(text, 2)
  const offsetMinutes = parseTwoDigits(text, 23)
  const distance = parseTwoDigits(text, 21) * 3600 + offsetMinutes * 60
  const sign = text.charCodeAt(20)
  if (!(offsetMinutes < 60 && distance <= maxOffset && (sign === 43 || sign === 45))) return NaN
  const offset = sign === 45 ? -distance : distance
  const [month, day] = [parseTwoDigits(text, 5), parseTwoDigits(text, 8)]
  const [hour, minute, second] = [
    parseTwoDigits(text, 11),
    parseTwoDigits(text, 14),
    parseTwoDigits(text, 17)
  ]
  if (!(year >= 100 && day >= 1 && day <= (minMonthDays[month - 1] ?? 0))) return NaN
  if (!(hour < 24 && minute < 60 && second < 60)) return NaN
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - offset
}

function parseTwoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

/** Range around 1970 within which zones are queried, in seconds. */
const maxQueriedTime = 5e10
/** Granularity of offset lookups in seconds: clocks change at multiples of it. */
const lookupInterval = 1800

/**
 * Converts a local time (seconds, as if it were UTC) in a zone, an IANA name or an offset such as `+02:00`,
 * to UTC. If the local time occurs twice, returns the first. A local time that is skipped is moved forward.
 */
export function localToUtc(local: number, zone: string): number {
  if (zone.charCodeAt(0) === 43 || zone.charCodeAt(0) === 45) return local - parseOffset(zone)
  const start = Math.floor(local / lookupInterval) * lookupInterval
  // The offset before the local time applies, unless it results in another local time.
  const guess = getOffset(start - getOffset(start, zone), zone)
  const first = getOffset(start - guess - 7200, zone)
  if (first === guess || getOffset(start - first, zone) === first) return local - first
  // A skipped local time is moved forward: a day that begins at one o'clock is not part of the previous day.
  return local - (getOffset(start - guess, zone) === guess ? guess : first)
}

/**
 * Returns the length in seconds of the day that begins at a time, given as text: 23 or 25 hours if clocks change. Days without a
 * zone, or with an offset that the zone does not have, have 24 hours.
 */
export function getDayLength(text: string, zone: string | undefined): number {
  const time = parseIsoTime(text, zone)
  if (zone === undefined || Number.isNaN(time)) return secondsPerDay
  const local = time + getOffset(time, zone)
  const matchesZone =
    !hasOffset(text) || parseIsoTime(text.trim().replace(/(?:Z|UTC|[+-]\d\d:?\d\d)$/i, '')) === local
  return matchesZone ? localToUtc(local + secondsPerDay, zone) - time : secondsPerDay
}

/** Returns the later time with the same local time; `undefined` if the local time does not recur. */
export function findRepeatedTime(time: number, zone: string): number | undefined {
  const offset = getOffset(time, zone)
  const after = getOffset(time + 7200, zone)
  if (after >= offset) return undefined
  const later = time + offset - after
  return getOffset(later, zone) === after ? later : undefined
}

/**
 * Returns the offset of a zone from UTC at a time, in seconds. Returns `NaN` for implausible times. Caches
 * the offsets of days.
 */
export function getOffset(time: number, zone: string): number {
  if (zone.charCodeAt(0) === 43 || zone.charCodeAt(0) === 45) return parseOffset(zone)
  if (recentZone?.zone !== zone || recentZone.size > maxOffsets) recentZone = getCachedZone(zone)
  const { days } = recentZone
  const day = Math.floor(time / secondsPerDay)
  let offset = days.get(day)
  if (offset === undefined) {
    const [start, end] = [
      getCachedOffset(day * secondsPerDay, recentZone),
      getCachedOffset((day + 1) * secondsPerDay, recentZone)
    ]
    offset = start === end ? start : NaN
    days.set(day, offset)
    recentZone.size++
  }
  // `NaN` marks days on which clocks change.
  return offset === offset
    ? offset
    : getCachedOffset(Math.floor(time / lookupInterval) * lookupInterval, recentZone)
}

/** Cached offsets of a zone. */
interface CachedZone {
  readonly zone: string
  /** Offsets by day since 1970; `NaN` for days when they change. */
  readonly days: Map<number, number>
  readonly times: Map<number, number>
  size: number
}

/** Limits of cached zones, and of the offsets of each. */
const maxZones = 50
const maxOffsets = 50_000
const zoneCache = new Map<string, CachedZone>()
let recentZone: CachedZone | undefined

function getCachedZone(zone: string): CachedZone {
  const cached = zoneCache.get(zone)
  if (cached && cached.size <= maxOffsets) return cached
  if (zoneCache.size >= maxZones) zoneCache.clear()
  const offsets = { zone, days: new Map<number, number>(), times: new Map<number, number>(), size: 0 }
  zoneCache.set(zone, offsets)
  return offsets
}

function getCachedOffset(time: number, offsets: CachedZone): number {
  let offset = offsets.times.get(time)
  if (offset === undefined) {
    offset = computeOffset(time, offsets.zone)
    offsets.times.set(time, offset)
    offsets.size++
  }
  return offset
}

/** Formats by zone in lower case: files may write a zone in many ways, and a format takes tens of kilobytes. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Computes the offset of a zone from UTC at a time, in seconds; `NaN` for implausible times. */
function computeOffset(time: number, zone: string): number {
  // Invalid or implausible times.
  if (!(Math.abs(time) < maxQueriedTime)) return NaN
  const key = zone.toLowerCase()
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric'
    })
    formats.set(key, format)
  }
  const part: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(time * 1000)) part[type] = Number(value)
  const { day, hour, minute, month, second, year } = part
  return Date.UTC(year!, month! - 1, day, hour, minute, second) / 1000 - time
}
