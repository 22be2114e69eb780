/** Numbers of workbooks as the texts that tables are read from. */
import type { NumberFormat } from './number-formats.js'

const dayMs = 86_400_000
/** 1899-12-30, the day before which days are counted but for the error below. */
const epochMs = Date.UTC(1899, 11, 30)
/** Days until the first of 1904, from which some workbooks count. */
const of1904 = 1462
/** 1900-02-29, which never was, but is counted. */
const neverWas = 60
/** 1970-01-01: a time of the day that is larger than this has its day with it. */
const firstDay = 25_569
/** 9999-12-31, the last day that is shown. */
const lastDay = 2_958_465
/** What is shown of a number with the format of a time that is none. */
const unshown = '#####'

export interface NumberText {
  readonly text: string
  /** Whether it is written with a point before its decimals. */
  readonly isNumber?: boolean
  /** The day and the time of the day, where the latter alone is shown. */
  readonly clock?: { readonly day: string; readonly text: string }
}

/** Returns a number as text: an ISO date, a time of the day or length, a percentage, or the number itself. */
export function numberText(value: number, format: NumberFormat, is1904: boolean): NumberText {
  const { hasClock, hasDate, isPercent, unit } = format
  const isTime = hasClock === true || hasDate === true
  const text = isTime ? timeText(value, format, is1904) : undefined
  if (text !== undefined) {
    const day = Math.floor(value)
    if (hasDate || value < firstDay) return { text }
    return {
      text,
      clock: {
        day: dateText(is1904 ? day + of1904 : day, false),
        text: clockText(Math.round((value - day) * dayMs))
      }
    }
  }
  if (isTime) return { text: unshown }
  if (isPercent) return { text: `${written(value * 100)}%`, isNumber: true }
  const plain = written(value)
  if (unit !== undefined) return { text: `${plain} ${unit}`, isNumber: true }
  // With a power it is none of the numbers that times may be written as: its days are not known to be of 1904.
  return { text: is1904 && /^\d{5}(?:\.\d+)?$/.test(plain) ? `${plain}e0` : plain, isNumber: true }
}

/** Fractions with the fifteen digits that spreadsheets compute with. */
function written(value: number): string {
  const text = String(value)
  return text.length < 16 || Number.isInteger(value) ? text : String(Number(value.toPrecision(15)))
}

/** Returns a count of days as a date or time; `undefined` for what is neither. */
function timeText(value: number, { hasClock, hasDate }: NumberFormat, is1904: boolean): string | undefined {
  if (value < 0 || value > lastDay) return undefined
  const isLength = value < 1 || (!hasDate && value < firstDay)
  if (isLength)
    return hasClock
      ? clockText(Math.round(value * dayMs))
      : is1904
        ? dateText(value + of1904, false)
        : undefined
  return dateText(is1904 ? value + of1904 : value, hasClock === true)
}

function dateText(days: number, hasClock: boolean): string {
  if (days >= neverWas && days < neverWas + 1) return '1900-02-29'
  const ms = Math.round((days < neverWas ? days + 1 : days) * dayMs)
  const rest = ms % dayMs
  const day = dayTextOf((ms - rest) / dayMs)
  return hasClock || rest > 0 ? `${day} ${clockText(rest)}` : day
}

let [lastOne, lastText] = [NaN, '']

/** Rows of one day often follow one another. */
function dayTextOf(day: number): string {
  if (day !== lastOne) lastText = new Date(epochMs + day * dayMs).toISOString().slice(0, 10)
  lastOne = day
  return lastText
}

/** Hours, minutes and seconds, of which there may be more than those of a day. */
function clockText(ms: number): string {
  const rest = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${rest}`
}

function two(amount: number): string {
  return amount < 10 ? `0${Math.floor(amount)}` : String(Math.floor(amount))
}
