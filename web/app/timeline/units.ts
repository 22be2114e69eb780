/** Values in words, in the units that the person wants. */
import { locale } from '../../language.js'
import { unitOf, wishedType } from '../data/units.js'

/** The symbol of the unit in which numbers of a type are shown; empty where there is none. */
export function unitFor(type: string): string {
  // Pressure stands with the pulse in one type.
  if (type.startsWith('blood-pressure/')) return 'mmHg'
  return unitOf(wishedType(type))?.symbol ?? ''
}

/** A number as people read it: with as many digits as its size deserves. */
export function number(value: number, digits = digitsFor(value)): string {
  return formatOf(digits).format(value)
}

/** `10k`, where there is no room. */
export function short(value: number): string {
  return new Intl.NumberFormat(locale(), { notation: 'compact' }).format(value)
}

const formats = new Map<string, Intl.NumberFormat>()

/** Formatters are kept: they are used for each move of a pointer. */
function formatOf(digits: number): Intl.NumberFormat {
  const key = `${locale()} ${digits}`
  let format = formats.get(key)
  if (!format) formats.set(key, (format = new Intl.NumberFormat(locale(), { maximumFractionDigits: digits })))
  return format
}

function digitsFor(value: number): number {
  const size = Math.abs(value)
  return size >= 100 ? 0 : size >= 10 ? 1 : 2
}

/** `7 h 52`. */
export function hoursAndMinutes(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`
}
