/** Parses numbers in cells of tables. */
import type { Decimals } from '../record.js'
import { findMeasure, type UnitMeasure } from './units.js'

/** Maximum length of a cell that is parsed as a number or a time, in characters. */
export const maxCellLength = 100

const thousandsSpaces =
  /(?<=^[+-]?\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})*)[ \u00a0\u2009\u202f'’](?=\d{3}(?!\d))/g

/** A number as written; `decimals` is missing if the separator is ambiguous. */
interface WrittenNumber {
  /** Without percent sign and thousands spaces. */
  readonly plain: string
  readonly decimals?: Decimals
  /** The ambiguous separator. */
  readonly ambiguousSeparator?: ',' | '.'
  /** Measure of the unit beside the number. */
  readonly measure?: UnitMeasure
}

/**
 * Splits a number from the unit after it, such as `71.4 kg`; returns `undefined` without a known unit, or if the cell is
 * too long. `cal` does not count as a known unit, as it usually means kilocalories; nor does `%`, which callers handle. The
 * text of the number is not parsed.
 */
export function splitUnit(
  cell: string
): { readonly number: string; readonly unit: string; readonly measure: UnitMeasure } | undefined {
  if (cell.length > maxCellLength) return undefined
  const text = cell.trim()
  let end = text.length
  while (end > 0 && !/[\d.,]/.test(text[end - 1]!)) end--
  // In `72 1/min`, the second number is part of the unit.
  if (text.startsWith('/', end)) end = text.slice(0, end).replace(/\s1$/, '').length
  const unit = text.slice(end).trim()
  const number = text.slice(0, end)
  const measure = unit === '' || unit === '%' || unit === 'cal' ? undefined : findMeasure(unit)
  return measure && /^[+\-\u2212]?[\d.]/.test(number) ? { number, unit, measure } : undefined
}

/** Parses how a cell writes a number; returns `undefined` if it is not a number. */
export function parseWrittenNumber(cell: string | undefined): WrittenNumber | undefined {
  if (cell === undefined || cell.length > maxCellLength) return undefined
  if (/^-?\d+(?:\.\d\d?)?$/.test(cell))
    return cell.includes('.') ? { plain: cell, decimals: 'point' } : { plain: cell }
  const parts = /\p{L}/u.test(cell) ? splitUnit(cell) : undefined
  if (parts) {
    const written = parseWrittenNumber(parts.number)
    return written && { ...written, measure: parts.measure }
  }
  let plain = cell.trim().replace(/^\u2212/, '-')
  if (plain.endsWith('%')) plain = plain.slice(0, -1).trimEnd()
  if (/^[+-]?\d+$/.test(plain)) return { plain }
  const ungrouped = plain.replaceAll(thousandsSpaces, '')
  const isSpaced = ungrouped !== plain
  plain = ungrouped
  if (/^[+-]?\d+$/.test(plain)) return { plain }
  const single = /^[+-]?(\d*)([.,])(\d*)(e[+-]?\d+)?$/i.exec(plain)
  if (single) {
    const [, before = '', mark, after = '', power] = single
    if (before === '' && after === '') return undefined
    if (after.length === 3 && /^[1-9]\d{0,2}$/.test(before) && !isSpaced && power === undefined)
      return { plain, ambiguousSeparator: mark as ',' | '.' }
    return { plain, decimals: mark === ',' ? 'comma' : 'point' }
  }
  if (/^[+-]?\d+e[+-]?\d+$/i.test(plain)) return { plain }
  if (/^[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?$/.test(plain)) return { plain, decimals: 'point' }
  if (/^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$/.test(plain)) return { plain, decimals: 'comma' }
  return undefined
}

/** Returns the value of a number whose decimal separator is known. Returns `undefined` if it is no number. */
export function toNumberValue(
  { decimals, plain }: WrittenNumber,
  defaultDecimals: Decimals | undefined
): number | undefined {
  const separator = decimals ?? defaultDecimals
  const value = Number(
    separator === 'comma' ? plain.replaceAll('.', '').replace(',', '.') : plain.replaceAll(',', '')
  )
  return Number.isFinite(value) ? value : undefined
}

/**
 * Parses a blood pressure such as `120/80`; returns `undefined` if the cell is not one. The first number has
 * to be the larger one.
 */
export function parsePressure(cell: string): { systolic: number; diastolic: number } | undefined {
  if (cell.length > maxCellLength) return undefined
  const parts = /^(\d{2,3})\s*\/\s*(\d{2,3})(?:\s*mm ?hg)?$/i.exec(cell.trim())
  if (!parts) return undefined
  const [systolic, diastolic] = [Number(parts[1]), Number(parts[2])]
  return systolic > diastolic ? { systolic, diastolic } : undefined
}

/** Returns true if a cell is a number, however it is written, with or without a unit. */
export function isNumberCell(cell: string | undefined): boolean {
  return parseWrittenNumber(cell) !== undefined
}
