/** Parses times in cells of tables. */
import type { DateOrder } from '../record.js'
import { maxCellLength } from './cell-numbers.js'
import { parseIsoTime, getOffset, toTime } from './times.js'
import { parseWordDate } from './word-dates.js'
import { formatOffset, parseZone, findAmbiguousOffsets } from './zones.js'

/** How a time is interpreted. */
interface TimeFormat {
  readonly order: DateOrder
  /** IANA zone or offset such as `+02:00`, for times without a zone; UTC by default. */
  readonly zone: string | undefined
}

const numericDate = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:,?\s+|T|$)(.*)$/
const yearFirstDate = /^(\d{4})[./-](\d{1,2})[./-](\d{1,2})(?:,?\s+|T|$)(.*)$/
const compactDate =
  /^((?:19|20|21)\d\d)(\d\d)(\d\d)(?:[T ]?(\d\d)(\d\d)(?:(\d\d)(?:[.,]?(\d{1,9}))?)?)?\s?(Z|[+-]\d\d:?\d\d)?$/i
/** Lengths of compact dates, which have no separators. */
const compactLengths: ReadonlySet<number> = new Set([8, 12, 14, 17])
/** Matches compact dates with hours, or with two-digit years and minutes: they look like seconds of years from 2033 on. */
const shortCompact =
  /^(?:20\d\d|[2-9]\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])(?:[0-5]\d)?$/
const clockPattern =
  /^(\d{1,2})[:.h](\d\d)(?:[:.](\d\d)(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?\s?m\.?)?(?:\s*(Z|[+-]\d\d:?\d\d))?$/i
const weekdayPattern =
  /^(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|monday|tuesday|tues|wednesday|thursday|thurs|thur|friday|saturday|sunday|lun|mar|mer|jeu|ven|sam|dim|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\.?,?\s+(?=\d)(?!\d{1,2}(?:st|nd|rd|th)?,? \d{4}\b)/i

/** Format of `date` and C's `asctime`. */
const yearLastDate = /^([a-z]{3} [a-z]{3} +\d{1,2}) (\d\d:\d\d:\d\d)( [a-z]{1,5})? (\d{4})$/i

/** Spreadsheet dates of the years 1970 to 2100, in days since 1899-12-30. */
const [firstDay, lastDay] = [25_569, 73_050]

/** Parses a time into seconds; returns `NaN` if the cell contains none. Without an offset it is local to `zone`. */
export function parseCellTime(
  cell: string | undefined,
  clock: string | undefined,
  order: DateOrder,
  zone: string | undefined
): number {
  if (clock === undefined && cell !== undefined && cell.length <= maxCellLength) {
    const isoResult = parseIsoTime(cell, zone)
    if (!Number.isNaN(isoResult)) return isoResult
  }
  const text = normaliseTime(
    clock === undefined ? (cell ?? '') : `${removeMidnight(cell ?? '')} ${clock.trim()}`
  )
  // Patterns could be retried at every character of a long cell.
  if (text === '') return NaN
  const direct = parseIsoTime(text, zone)
  if (!Number.isNaN(direct)) return direct
  const number = parseNumberTime(text, zone)
  if (number !== undefined) return number
  const written = parseWrittenTime(text, { order, zone })
  return Number.isNaN(written) ? parseZonedTime(text, { order, zone }) : written
}

/**
 * Parses a time into seconds; returns `NaN` if there is none, or if the order of a numeric date is ambiguous. Without an offset it
 * is local to `zone`.
 */
export function parseUnambiguousTime(text: string, zone: string | undefined): number {
  return findDateOrders(text).length > 0 ? NaN : parseCellTime(text, undefined, 'dmy', zone)
}

/** Returns a date without the midnight that apps write if the time of day is in another column. */
export function removeMidnight(cell: string): string {
  const text = cell.trim()
  return text.length > 11 && text.includes(':')
    ? text.replace(/(?<![T ])[T ]+(?:0?0:00(?::00(?:\.0{1,9})?)?|12:00(?::00)? AM)$/, '')
    : text
}

/** Returns the orders in which a numeric date is valid; an empty list for other texts. */
export function findDateOrders(cell: string): readonly DateOrder[] {
  if (/^\d{4}-/.test(cell)) return []
  const text = normaliseTime(cell)
  const parts = numericDate.exec(text)
  if (!parts) return []
  const orders: readonly DateOrder[] = parts[3]!.length === 2 ? ['dmy', 'mdy', 'ymd'] : ['dmy', 'mdy']
  const date = trimSeparators(text.slice(0, parts[0].length - parts[4]!.length))
  return orders.filter(order => !Number.isNaN(parseCellTime(date, undefined, order, undefined)))
}

/** Normalises a date: single spaces, without weekday and words around the time of day. */
function normaliseTime(cell: string): string {
  if (cell.length > maxCellLength) return ''
  return cell
    .replaceAll(/[\u00a0\u2009\u202f]/g, ' ')
    .trim()
    .replace(weekdayPattern, '')
    .replace(yearLastDate, '$1 $4 $2$3')
    .replace(/(\d),? (?:um|at|à|a|-|–|\/|\|) (?=\d{1,2}[:.h]\d)/i, '$1 ')
    .replace(/(\d) ?(?:uhr|h)$/i, '$1')
}

/** Parses numeric times (days, seconds, milli-, micro- and nanoseconds) and compact dates; returns `undefined` for other texts. */
function parseNumberTime(text: string, zone: string | undefined): number | undefined {
  const parts = compactDate.exec(text)
  if (parts && (compactLengths.has(text.length) || /[^\d]/.test(text))) {
    const [, year, month, day, hour = '0', minute = '0', second = '0', fraction, offset] = parts
    const time = toTime(
      [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)],
      fraction === undefined ? 0 : Number(`0.${fraction}`),
      offset,
      zone
    )
    // An invalid date may be milliseconds.
    if (!Number.isNaN(time) || text.length !== 12) return Number.isNaN(time) && text.length === 8 ? NaN : time
  }
  if (text.length === 10 && shortCompact.test(text)) return NaN
  if (/^\d{9,19}(?:\.\d+)?$/.test(text)) {
    const value = Number(text)
    // Milliseconds from 1973 on have twelve digits, microseconds fifteen, nanoseconds eighteen.
    return value >= 1e17 ? value / 1e9 : value >= 1e14 ? value / 1e6 : value >= 1e11 ? value / 1000 : value
  }
  const days = /^(\d{5})(?:[.,](\d{1,15}))?$/.exec(text)
  if (!days || Number(days[1]) < firstDay || Number(days[1]) > lastDay) return undefined
  const { length } = days[2] ?? ''
  const seconds = (Number(days[1]) - firstDay + Number(`0.${days[2] ?? '0'}`)) * 86_400
  // Few decimals are precise to the second only.
  const local = length > 9 ? Math.round(seconds * 1000) / 1000 : Math.round(seconds)
  const date = new Date(Math.floor(local) * 1000)
  return toTime(
    [
      date.getUTCFullYear(),
      date.getUTCMonth() + 1,
      date.getUTCDate(),
      date.getUTCHours(),
      date.getUTCMinutes(),
      date.getUTCSeconds()
    ],
    local % 1,
    undefined,
    zone
  )
}

/** Parses a date of numbers or words, with or without a time of day. */
function parseWrittenTime(text: string, { order, zone }: TimeFormat): number {
  const parts = numericDate.exec(text)
  if (parts) {
    const [, first, second, third, rest] = parts
    // Years at the beginning have two digits here.
    if (order === 'ymd' && third!.length !== 2) return NaN
    const [year, month, day] =
      order === 'mdy'
        ? [third, first, second]
        : order === 'ymd'
          ? [first, second, third]
          : [third, second, first]
    return parseClock(toFullYear(year!), Number(month), Number(day), rest!, zone)
  }
  const iso = yearFirstDate.exec(text)
  if (iso) return parseClock(Number(iso[1]), Number(iso[2]), Number(iso[3]), iso[4]!, zone)
  const words = parseWordDate(text)
  return words ? parseClock(toFullYear(words.year), words.month, words.day, words.rest, zone) : NaN
}

function toFullYear(year: string): number {
  if (year.length !== 2) return Number(year)
  return Number(year) + (Number(year) < 70 ? 2000 : 1900)
}

/** Parses the time of day after a date; midnight if `rest` is empty, `NaN` if it is invalid. */
function parseClock(
  year: number,
  month: number,
  day: number,
  rest: string,
  zone: string | undefined
): number {
  const clock = rest.trim()
  if (clock === '') return toTime([year, month, day, 0, 0, 0], 0, undefined, zone)
  const parts = clockPattern.exec(clock)
  if (!parts) return NaN
  const [, hour, minute, second = '0', fraction, meridiem, offset] = parts
  let hours = Number(hour)
  if (meridiem !== undefined) {
    if (hours < 1 || hours > 12) return NaN
    hours = (hours % 12) + (/^p/i.test(meridiem) ? 12 : 0)
  }
  return toTime(
    [year, month, day, hours, Number(minute), Number(second)],
    fraction ? Number(`0.${fraction}`) : 0,
    offset,
    zone
  )
}

/** Parses a time with a zone at its end: `CEST`, `GMT+2`, `[Europe/Zurich]`. */
function parseZonedTime(text: string, format: TimeFormat): number {
  // As written by browsers: GMT+0200 (Central European Summer Time).
  const plain = /[+-]\d{4} \([^()]{1,60}\)$/.test(text) ? text.slice(0, text.lastIndexOf('(')).trim() : text
  const parts =
    /^(.*\d(?: ?[ap]\.?m\.?)?) ?[[(]?((?:[a-z]{1,5} ?)?[+-]\d{1,2}(?::?\d\d)?|[a-z]{1,5}|[a-z_]{2,20}\/[a-z_/]{2,40})[\])]?$/i.exec(
      plain
    )
  if (!parts) return NaN
  const [, time, name] = parts as unknown as [string, string, string]
  const read = (zone: string): number => {
    const direct = parseIsoTime(time.trim(), zone)
    if (!Number.isNaN(direct)) return direct
    const written = parseWrittenTime(time.trim(), { ...format, zone })
    // An offset followed by the name of its zone.
    return Number.isNaN(written) && plain.endsWith(']') ? parseZonedTime(time.trim(), format) : written
  }
  const zone = parseZone(name)
  if (zone !== undefined) return hasTimeOfDay(time) ? read(zone) : NaN
  // An ambiguous abbreviation is resolved by the given zone.
  for (const hours of findAmbiguousOffsets(name)) {
    const found = read(formatOffset(hours * 60))
    if (format.zone !== undefined && getOffset(found, format.zone) === hours * 3600) return found
  }
  return NaN
}

function hasTimeOfDay(text: string): boolean {
  return /\d[:.h]\d\d/.test(text)
}

/** Removes separators before the time of day. */
function trimSeparators(date: string): string {
  let end = date.length
  while (end > 0 && /[,\sT]/.test(date[end - 1]!)) end--
  return date.slice(0, end)
}
