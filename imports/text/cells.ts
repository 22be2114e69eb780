/** Cells of tables as numbers. */
import type { Decimals } from '../record.js'
import { measureOf, type Measure } from './units.js'

/** Characters of the longest cell that is read as a number or a time. */
export const longestCell = 100

const spaces = /(?<=^[+-]?\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})*)[ \u00a0\u2009\u202f'’](?=\d{3}(?!\d))/g

/** A number as it is written; `decimals` is missing where a mark may stand before decimals or thousands. */
interface Written {
  /** Without signs of percent and spaces between thousands. */
  readonly plain: string
  readonly decimals?: Decimals
  /** The mark that may be either. */
  readonly open?: ',' | '.'
  /** What the unit beside it tells. */
  readonly measure?: Measure
}

/**
 * Returns a number and the unit that stands after it, such as `71.4 kg`; `undefined` without a known unit, of which `cal` is none, as
 * it stands for a thousand calories most often.
 */
export function splitUnit(
  cell: string
): { readonly number: string; readonly unit: string; readonly measure: Measure } | undefined {
  if (cell.length > longestCell) return undefined
  const text = cell.trim()
  let end = text.length
  while (end > 0 && !/[\d.,]/.test(text[end - 1]!)) end--
  // Of `72 1/min` the second number is part of the unit.
  if (text.startsWith('/', end)) end = text.slice(0, end).replace(/\s1$/, '').length
  const unit = text.slice(end).trim()
  const number = text.slice(0, end)
  const measure = unit === '' || unit === '%' || unit === 'cal' ? undefined : measureOf(unit)
  return measure && /^[+\-\u2212]?[\d.]/.test(number) ? { number, unit, measure } : undefined
}

/** How a cell writes a number; `undefined` if it holds none. */
export function writtenNumber(cell: string | undefined): Written | undefined {
  if (cell === undefined || cell.length > longestCell) return undefined
  if (/^-?\d+(?:\.\d\d?)?$/.test(cell))
    return cell.includes('.') ? { plain: cell, decimals: 'point' } : { plain: cell }
  const parts = /\p{L}/u.test(cell) ? splitUnit(cell) : undefined
  if (parts) {
    const written = writtenNumber(parts.number)
    return written && { ...written, measure: parts.measure }
  }
  let plain = cell.trim().replace(/^\u2212/, '-')
  if (plain.endsWith('%')) plain = plain.slice(0, -1).trimEnd()
  if (/^[+-]?\d+$/.test(plain)) return { plain }
  const grouped = plain.replaceAll(spaces, '')
  const isSpaced = grouped !== plain
  plain = grouped
  if (/^[+-]?\d+$/.test(plain)) return { plain }
  const one = /^[+-]?(\d*)([.,])(\d*)(e[+-]?\d+)?$/i.exec(plain)
  if (one) {
    const [, before = '', mark, after = '', power] = one
    if (before === '' && after === '') return undefined
    if (after.length === 3 && /^[1-9]\d{0,2}$/.test(before) && !isSpaced && power === undefined)
      return { plain, open: mark as ',' | '.' }
    return { plain, decimals: mark === ',' ? 'comma' : 'point' }
  }
  if (/^[+-]?\d+e[+-]?\d+$/i.test(plain)) return { plain }
  if (/^[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?$/.test(plain)) return { plain, decimals: 'point' }
  if (/^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$/.test(plain)) return { plain, decimals: 'comma' }
  return undefined
}

/** The value of a number of which it is known how it is written. */
export function valueOfNumber(
  { decimals, plain }: Written,
  otherwise: Decimals | undefined
): number | undefined {
  const mark = decimals ?? otherwise
  const value = Number(
    mark === 'comma' ? plain.replaceAll('.', '').replace(',', '.') : plain.replaceAll(',', '')
  )
  return Number.isFinite(value) ? value : undefined
}

/** Reads a blood pressure such as `120/80`; `undefined` if the cell holds none. */
export function pressureOf(cell: string): { systolic: number; diastolic: number } | undefined {
  if (cell.length > longestCell) return undefined
  const parts = /^(\d{2,3})\s*\/\s*(\d{2,3})(?:\s*mm ?hg)?$/i.exec(cell.trim())
  if (!parts) return undefined
  const [systolic, diastolic] = [Number(parts[1]), Number(parts[2])]
  return systolic > diastolic ? { systolic, diastolic } : undefined
}

/** Returns whether a cell holds a number, however it is written, with a unit or without. */
export function isNumber(cell: string | undefined): boolean {
  return writtenNumber(cell) !== undefined
}
