/** Formats values in the user's units. */
import { getLocale } from '../../language.js'
import { getUnit, getDisplayType } from './units.js'

/** Returns the symbol of the display unit of a type; empty if there is none. */
export function getUnitSymbol(type: string): string {
  // This type combines pressure and pulse.
  if (type.startsWith('blood-pressure/')) return 'mmHg'
  return getUnit(getDisplayType(type))?.symbol ?? ''
}

/** Formats a number with decimals that suit its size. */
export function formatRounded(value: number, digits = getDecimals(value)): string {
  return getFormat(digits).format(value)
}

/** Formats a number compactly: `10k`. */
export function formatCompact(value: number): string {
  return new Intl.NumberFormat(getLocale(), { notation: 'compact' }).format(value)
}

const formats = new Map<string, Intl.NumberFormat>()

/** Returns a cached formatter: they are used for each pointer movement. */
function getFormat(digits: number): Intl.NumberFormat {
  const key = `${getLocale()} ${digits}`
  let format = formats.get(key)
  if (!format)
    formats.set(key, (format = new Intl.NumberFormat(getLocale(), { maximumFractionDigits: digits })))
  return format
}

/** Returns the number of decimals that suits the size of a number. */
export function getDecimals(value: number): number {
  const size = Math.abs(value)
  return size >= 100 ? 0 : size >= 10 ? 1 : 2
}

/** Formats a duration: `7 h 52`. */
export function formatHoursMinutes(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`
}
