/** Times as files write them, to seconds since the epoch. */

/** Times beyond these years are taken for mistakes. */
const [earliest, latest] = [Date.UTC(1850, 0, 1) / 1000, Date.UTC(2200, 0, 1) / 1000]

/** Whether a time (seconds) can be that of a record. */
export function isPlausible(time: number): boolean {
  return time >= earliest && time <= latest
}

const isoLike =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[T ]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s*(Z|UTC|[+-]\d\d:?(?:\d\d)?)?$/i

/**
 * The time of a text such as `2024-10-27 00:00:05 +0200` or `2024-10-27T00:00:05.5Z`; `NaN` if it is none. One without an offset
 * is a local time of `zone`, or of UTC.
 */
export function isoTime(text: string, zone?: string): number {
  const known = appleTime(text)
  if (known === known) return known
  const parts = isoLike.exec(text.trim())
  if (!parts) return NaN
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = parts
  return timeOf(
    [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)],
    fraction === '' ? 0 : Number(`0.${fraction}`),
    offset,
    zone
  )
}

/** Whether a text names the offset of its time. */
export function namesOffset(text: string): boolean {
  return /(?:Z|UTC|\d[+ -]\s*[+-]?\d\d:?\d\d)$/i.test(text.trim()) && /\d:\d\d/.test(text)
}

/** Year, month (from 1), day, hour, minute, second. */
export type Parts = readonly [number, number, number, number, number, number]

/** The time of parts of a date; `NaN` if there is no such date. */
export function timeOf(
  [year, month, day, hour, minute, second]: Parts,
  fraction = 0,
  offset?: string,
  zone?: string
): number {
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60) return NaN
  // Years below 100 would be taken for those of the last century.
  const cycles = year < 100 ? 1 : 0
  const start = Date.UTC(year + cycles * 400, month - 1, day) / 1000
  if (new Date(start * 1000).getUTCDate() !== day) return NaN
  const utc = start - cycles * cycle + hour * 3600 + minute * 60 + second + fraction
  if (offset !== undefined && offset !== '') return utc - offsetOf(offset)
  return zone === undefined ? utc : fromLocal(utc, zone)
}

/** Seconds of a day that is as long as most. */
const usualDay = 86_400
/** Seconds of 400 years, after which the calendar begins again. */
const cycle = 146_097 * usualDay

/** Seconds east of Greenwich. */
function offsetOf(text: string): number {
  if (/^(?:z|utc)$/i.test(text)) return 0
  const sign = text.startsWith('-') ? -1 : 1
  return sign * (Number(text.slice(1, 3)) * 3600 + Number(text.slice(3).replace(':', '') || 0) * 60)
}

/** Days that each month has in any year. */
const shortest = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** `2024-10-27 00:00:05 +0200`, read by its digits: files have millions of these. `NaN` for what has to be looked at closely. */
function appleTime(text: string): number {
  if (text.length !== 25 || text.charCodeAt(10) !== 32 || text.charCodeAt(19) !== 32) return NaN
  const year = digits(text, 0) * 100 + digits(text, 2)
  const hours = digits(text, 21)
  const east = (text.charCodeAt(20) === 45 ? -1 : 1) * (hours * 3600 + digits(text, 23) * 60)
  const [month, day] = [digits(text, 5), digits(text, 8)]
  const [hour, minute, second] = [digits(text, 11), digits(text, 14), digits(text, 17)]
  if (!(year >= 100 && day >= 1 && day <= (shortest[month - 1] ?? 0))) return NaN
  if (!(hour < 24 && minute < 60 && second < 60)) return NaN
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - east
}

function digits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

/** Seconds from 1970 within which zones are asked. */
const mostOffset = 5e10
/** Seconds between times for which offsets are looked up: clocks are put forward and back at such times. */
const step = 1800

/**
 * Returns the time of a local time (seconds, as if it were UTC) in a zone, which is an IANA name or an offset such as `+02:00`. Of
 * two times that clocks show alike, the first is taken.
 */
export function fromLocal(local: number, zone: string): number {
  if (zone.charCodeAt(0) === 43 || zone.charCodeAt(0) === 45) return local - offsetOf(zone)
  const start = Math.floor(local / step) * step
  // The offset before the local time decides, unless that leads to another local time.
  const guess = offsetAt(start - offsetAt(start, zone), zone)
  const first = offsetAt(start - guess - 7200, zone)
  if (first === guess || offsetAt(start - first, zone) === first) return local - first
  // What clocks leave out is as much later: a day that begins at one o'clock is not part of the day before.
  return local - (offsetAt(start - guess, zone) === guess ? guess : first)
}

/**
 * Returns the seconds of the day that begins at a time, which `text` names: 23 or 25 hours where clocks of the zone are put forward
 * or back. Days of an unknown zone, or of an offset that the zone does not have, have 24.
 */
export function dayLength(text: string, zone: string | undefined): number {
  const time = isoTime(text, zone)
  if (zone === undefined || Number.isNaN(time)) return usualDay
  const local = time + offsetAt(time, zone)
  const isOfZone =
    !namesOffset(text) || isoTime(text.trim().replace(/(?:Z|UTC|[+-]\d\d:?\d\d)$/i, '')) === local
  return isOfZone ? fromLocal(local + usualDay, zone) - time : usualDay
}

/** Returns the later time at which clocks show the same as at a time; `undefined` if there is none. */
export function laterReading(time: number, zone: string): number | undefined {
  const offset = offsetAt(time, zone)
  const after = offsetAt(time + 7200, zone)
  if (after >= offset) return undefined
  const later = time + offset - after
  return offsetAt(later, zone) === after ? later : undefined
}

/** Returns the seconds that a zone is ahead of UTC at a time. */
export function offsetAt(time: number, zone: string): number {
  if (zone.charCodeAt(0) === 43 || zone.charCodeAt(0) === 45) return offsetOf(zone)
  if (recent?.zone !== zone || recent.size > mostOffsets) recent = offsetsIn(zone)
  const { days } = recent
  const day = Math.floor(time / ofDay)
  let offset = days.get(day)
  if (offset === undefined) {
    const [start, end] = [offsetFrom(day * ofDay, recent), offsetFrom((day + 1) * ofDay, recent)]
    offset = start === end ? start : NaN
    days.set(day, offset)
    recent.size++
  }
  // On days on which clocks are changed.
  return offset === offset ? offset : offsetFrom(Math.floor(time / step) * step, recent)
}

/** What is known of a zone. */
interface ZoneOffsets {
  readonly zone: string
  /** By days since 1970; `NaN` for those on which offsets change. */
  readonly days: Map<number, number>
  readonly times: Map<number, number>
  size: number
}

const ofDay = 86_400
/** Zones that are kept, and the offsets of each. */
const mostZones = 50
const mostOffsets = 50_000
const zones = new Map<string, ZoneOffsets>()
let recent: ZoneOffsets | undefined

function offsetsIn(zone: string): ZoneOffsets {
  const known = zones.get(zone)
  if (known && known.size <= mostOffsets) return known
  if (zones.size >= mostZones) zones.clear()
  const offsets = { zone, days: new Map<number, number>(), times: new Map<number, number>(), size: 0 }
  zones.set(zone, offsets)
  return offsets
}

function offsetFrom(time: number, offsets: ZoneOffsets): number {
  let offset = offsets.times.get(time)
  if (offset === undefined) {
    offset = foundOffset(time, offsets.zone)
    offsets.times.set(time, offset)
    offsets.size++
  }
  return offset
}

/** By zones in small letters: files may write each in many ways, and a format takes tens of kilobytes. */
const formats = new Map<string, Intl.DateTimeFormat>()

function foundOffset(time: number, zone: string): number {
  // Not of what is no time, or far from any.
  if (!(Math.abs(time) < mostOffset)) return NaN
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
