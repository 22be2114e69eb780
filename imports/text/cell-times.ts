/** Cells of tables as times. */
import type { DateOrder } from '../record.js'
import { longestCell } from './cells.js'
import { isoTime, offsetAt, timeOf } from './times.js'
import { parseWordDate } from './word-dates.js'
import { offsetText, parseZone, sharedOffsets } from './zones.js'

/** How a time is read. */
export interface Reading {
  readonly order: DateOrder
  /** IANA zone or offset such as `+02:00`, of times that name none; UTC without one. */
  readonly zone: string | undefined
}

const numbered = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:,?\s+|T|$)(.*)$/
const yearFirst = /^(\d{4})[./-](\d{1,2})[./-](\d{1,2})(?:,?\s+|T|$)(.*)$/
const compact =
  /^((?:19|20|21)\d\d)(\d\d)(\d\d)(?:[T ]?(\d\d)(\d\d)(?:(\d\d)(?:[.,]?(\d{1,9}))?)?)?\s?(Z|[+-]\d\d:?\d\d)?$/i
/** Lengths of such dates that have no mark at all. */
const compactLengths: ReadonlySet<number> = new Set([8, 12, 14, 17])
/** Hours, and minutes of a year with two digits, without marks: they look like seconds of the years from 2033 on. */
const shortCompact =
  /^(?:20\d\d|[2-9]\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])(?:[0-5]\d)?$/
const clockLike =
  /^(\d{1,2})[:.h](\d\d)(?:[:.](\d\d)(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?\s?m\.?)?(?:\s*(Z|[+-]\d\d:?\d\d))?$/i
const weekday =
  /^(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|monday|tuesday|tues|wednesday|thursday|thurs|thur|friday|saturday|sunday|lun|mar|mer|jeu|ven|sam|dim|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\.?,?\s+(?=\d)(?!\d{1,2}(?:st|nd|rd|th)?,? \d{4}\b)/i

/** What `date` and C print. */
const yearLast = /^([a-z]{3} [a-z]{3} +\d{1,2}) (\d\d:\d\d:\d\d)( [a-z]{1,5})? (\d{4})$/i

/** Days from 1899-12-30 that are times of the years 1970 to 2100, as spreadsheets count. */
const [firstDay, lastDay] = [25_569, 73_050]

/** Reads a time, in seconds; `NaN` if the cell holds none. Without an offset it is local to `zone`. */
export function cellTime(
  cell: string | undefined,
  clock: string | undefined,
  order: DateOrder,
  zone: string | undefined
): number {
  if (clock === undefined && cell !== undefined && cell.length <= longestCell) {
    const usual = isoTime(cell, zone)
    if (!Number.isNaN(usual)) return usual
  }
  const text = plainTime(
    clock === undefined ? (cell ?? '') : `${withoutMidnight(cell ?? '')} ${clock.trim()}`
  )
  // Patterns may start again at each character of a cell.
  if (text === '') return NaN
  const direct = isoTime(text, zone)
  if (!Number.isNaN(direct)) return direct
  const number = parseNumberTime(text, zone)
  if (number !== undefined) return number
  const written = parseWrittenTime(text, { order, zone })
  return Number.isNaN(written) ? parseZonedTime(text, { order, zone }) : written
}

/** Reads a time, in seconds; `NaN` for none, and for numbers that may be a date of several orders. Without an offset it is local to `zone`. */
export function certainTime(text: string, zone: string | undefined): number {
  return dateOrdersOf(text).length > 0 ? NaN : cellTime(text, undefined, 'dmy', zone)
}

/** Returns a date without the midnight that programs write where the time of the day stands elsewhere. */
export function withoutMidnight(cell: string): string {
  const text = cell.trim()
  return text.length > 11 && text.includes(':')
    ? text.replace(/(?<![T ])[T ]+(?:0?0:00(?::00(?:\.0{1,9})?)?|12:00(?::00)? AM)$/, '')
    : text
}

/** Orders in which a date with numbers alone is one; none for other texts. */
export function dateOrdersOf(cell: string): readonly DateOrder[] {
  if (/^\d{4}-/.test(cell)) return []
  const text = plainTime(cell)
  const parts = numbered.exec(text)
  if (!parts) return []
  const orders: readonly DateOrder[] = parts[3]!.length === 2 ? ['dmy', 'mdy', 'ymd'] : ['dmy', 'mdy']
  const date = withoutEnd(text.slice(0, parts[0].length - parts[4]!.length))
  return orders.filter(order => !Number.isNaN(cellTime(date, undefined, order, undefined)))
}

/** Returns a date with single spaces, without the day of the week and words around the clock. */
function plainTime(cell: string): string {
  if (cell.length > longestCell) return ''
  return cell
    .replaceAll(/[\u00a0\u2009\u202f]/g, ' ')
    .trim()
    .replace(weekday, '')
    .replace(yearLast, '$1 $4 $2$3')
    .replace(/(\d),? (?:um|at|à|a|-|–|\/|\|) (?=\d{1,2}[:.h]\d)/i, '$1 ')
    .replace(/(\d) ?(?:uhr|h)$/i, '$1')
}

/** Days, seconds, milli-, micro- and nanoseconds as numbers, and dates without marks; `undefined` for other texts. */
function parseNumberTime(text: string, zone: string | undefined): number | undefined {
  const parts = compact.exec(text)
  if (parts && (compactLengths.has(text.length) || /[^\d]/.test(text))) {
    const [, year, month, day, hour = '0', minute = '0', second = '0', fraction, offset] = parts
    const time = timeOf(
      [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)],
      fraction === undefined ? 0 : Number(`0.${fraction}`),
      offset,
      zone
    )
    // What is no date may be a count of milliseconds.
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
  // Few decimals tell no more than the second.
  const local = length > 9 ? Math.round(seconds * 1000) / 1000 : Math.round(seconds)
  const date = new Date(Math.floor(local) * 1000)
  return timeOf(
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

/** A date of numbers or words, perhaps with a clock. */
function parseWrittenTime(text: string, { order, zone }: Reading): number {
  const parts = numbered.exec(text)
  if (parts) {
    const [, first, second, third, rest] = parts
    // Where years stand first here they have two digits.
    if (order === 'ymd' && third!.length !== 2) return NaN
    const [year, month, day] =
      order === 'mdy'
        ? [third, first, second]
        : order === 'ymd'
          ? [first, second, third]
          : [third, second, first]
    return withClock(fullYear(year!), Number(month), Number(day), rest!, zone)
  }
  const iso = yearFirst.exec(text)
  if (iso) return withClock(Number(iso[1]), Number(iso[2]), Number(iso[3]), iso[4]!, zone)
  const words = parseWordDate(text)
  return words ? withClock(fullYear(words.year), words.month, words.day, words.rest, zone) : NaN
}

function fullYear(year: string): number {
  if (year.length !== 2) return Number(year)
  return Number(year) + (Number(year) < 70 ? 2000 : 1900)
}

function withClock(year: number, month: number, day: number, rest: string, zone: string | undefined): number {
  const clock = rest.trim()
  if (clock === '') return timeOf([year, month, day, 0, 0, 0], 0, undefined, zone)
  const parts = clockLike.exec(clock)
  if (!parts) return NaN
  const [, hour, minute, second = '0', fraction, half, offset] = parts
  let hours = Number(hour)
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return NaN
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0)
  }
  return timeOf(
    [year, month, day, hours, Number(minute), Number(second)],
    fraction ? Number(`0.${fraction}`) : 0,
    offset,
    zone
  )
}

/** A time with a zone at its end: `CEST`, `GMT+2`, `[Europe/Zurich]`. */
function parseZonedTime(text: string, reading: Reading): number {
  // What browsers write: GMT+0200 (Central European Summer Time).
  const plain = /[+-]\d{4} \([^()]{1,60}\)$/.test(text) ? text.slice(0, text.lastIndexOf('(')).trim() : text
  const parts =
    /^(.*\d(?: ?[ap]\.?m\.?)?) ?[[(]?((?:[a-z]{1,5} ?)?[+-]\d{1,2}(?::?\d\d)?|[a-z]{1,5}|[a-z_]{2,20}\/[a-z_/]{2,40})[\])]?$/i.exec(
      plain
    )
  if (!parts) return NaN
  const [, time, name] = parts as unknown as [string, string, string]
  const read = (zone: string): number => {
    const direct = isoTime(time.trim(), zone)
    if (!Number.isNaN(direct)) return direct
    const written = parseWrittenTime(time.trim(), { ...reading, zone })
    // An offset and the name of its zone.
    return Number.isNaN(written) && plain.endsWith(']') ? parseZonedTime(time.trim(), reading) : written
  }
  const zone = parseZone(name)
  if (zone !== undefined) return hasClock(time) ? read(zone) : NaN
  // Of names with several meanings the one that is used in the zone.
  for (const hours of sharedOffsets(name)) {
    const found = read(offsetText(hours * 60))
    if (reading.zone !== undefined && offsetAt(found, reading.zone) === hours * 3600) return found
  }
  return NaN
}

function hasClock(text: string): boolean {
  return /\d[:.h]\d\d/.test(text)
}

/** Returns a date without what leads over to the time of the day. */
function withoutEnd(date: string): string {
  let end = date.length
  while (end > 0 && /[,\sT]/.test(date[end - 1]!)) end--
  return date.slice(0, end)
}
