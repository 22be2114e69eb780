/** Formats numbers of workbooks as the texts that tables are read from. */
import type { NumberFormat } from './number-formats.js'

const msPerDay = 86_400_000
/** 1899-12-30, day 0 of the count, apart from the error below. */
const epochMs = Date.UTC(1899, 11, 30)
/** Days until the beginning of 1904, from which some workbooks count. */
const daysUntil1904 = 1462
/** 1900-02-29, which did not exist but is counted. */
const invalidLeapDay = 60
/** 1970-01-01: a larger time of day includes its date. */
const firstDatedDay = 25_569
/** 9999-12-31, the last day that can be displayed. */
const maxDay = 2_958_465
/** Displayed for a number with a time format that is not a time. */
const undisplayable = '#####'

export interface NumberText {
  readonly text: string
  /** True if the text is a number with a decimal point. */
  readonly isNumber?: boolean
  /** Date and time of day, if only the latter is displayed. */
  readonly clock?: { readonly day: string; readonly text: string }
}

/**
 * Formats a number: as an ISO date, a time of day or duration, a percentage, or the number itself, with its unit if the
 * format names one. A number with a time format that is not a time becomes `#####`. `is1904`: whether days count from 1904.
 */
export function formatNumber(value: number, format: NumberFormat, is1904: boolean): NumberText {
  const { hasClock, hasDate, isPercent, unit } = format
  const isTime = hasClock === true || hasDate === true
  const text = isTime ? formatTime(value, format, is1904) : undefined
  if (text !== undefined) {
    const day = Math.floor(value)
    if (hasDate || value < firstDatedDay) return { text }
    return {
      text,
      clock: {
        day: formatDate(is1904 ? day + daysUntil1904 : day, false),
        text: formatClock(Math.round((value - day) * msPerDay))
      }
    }
  }
  if (isTime) return { text: undisplayable }
  if (isPercent) return { text: `${formatPlainNumber(value * 100)}%`, isNumber: true }
  const plain = formatPlainNumber(value)
  if (unit !== undefined) return { text: `${plain} ${unit}`, isNumber: true }
  // The exponent keeps it from being parsed as a date, which would not count from 1904.
  return { text: is1904 && /^\d{5}(?:\.\d+)?$/.test(plain) ? `${plain}e0` : plain, isNumber: true }
}

/** Formats a number with the fifteen digits that spreadsheets compute with. */
function formatPlainNumber(value: number): string {
  const text = String(value)
  return text.length < 16 || Number.isInteger(value) ? text : String(Number(value.toPrecision(15)))
}

/** Formats a number of days as a date or time; returns `undefined` if it is neither. */
function formatTime(value: number, { hasClock, hasDate }: NumberFormat, is1904: boolean): string | undefined {
  if (value < 0 || value > maxDay) return undefined
  const isDuration = value < 1 || (!hasDate && value < firstDatedDay)
  if (isDuration)
    return hasClock
      ? formatClock(Math.round(value * msPerDay))
      : is1904
        ? formatDate(value + daysUntil1904, false)
        : undefined
  return formatDate(is1904 ? value + daysUntil1904 : value, hasClock === true)
}

function formatDate(days: number, hasClock: boolean): string {
  if (days >= invalidLeapDay && days < invalidLeapDay + 1) return '1900-02-29'
  const ms = Math.round((days < invalidLeapDay ? days + 1 : days) * msPerDay)
  const rest = ms % msPerDay
  const day = formatDay((ms - rest) / msPerDay)
  return hasClock || rest > 0 ? `${day} ${formatClock(rest)}` : day
}

let [cachedDay, cachedText] = [NaN, '']

/** Formats a date; the last one is cached, as consecutive rows often have the same date. */
function formatDay(day: number): string {
  if (day !== cachedDay) cachedText = new Date(epochMs + day * msPerDay).toISOString().slice(0, 10)
  cachedDay = day
  return cachedText
}

/** Formats hours, minutes and seconds, which may exceed a day. */
function formatClock(ms: number): string {
  const rest = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`
  return `${padTwo(ms / 3_600_000)}:${padTwo((ms / 60_000) % 60)}:${padTwo((ms / 1000) % 60)}${rest}`
}

function padTwo(amount: number): string {
  return amount < 10 ? `0${Math.floor(amount)}` : String(Math.floor(amount))
}
