/** Parses numbers typed by users, in the notation of their region or of another. */
import { getLocale } from '../../language.js'

type TypedNumber =
  | { readonly number: number }
  /** `ambiguous`: the separator could mark thousands or decimals. */
  | { readonly problem: 'number' | 'ambiguous' }

/**
 * Parses a number: `61,9`, `61.9`, `1’200`, `1 200`, `−3`, `1e-7`. Returns a problem for other texts
 * (`number`), and for texts like `1.200` that are read differently by region (`ambiguous`).
 */
export function parseTypedNumber(text: string): TypedNumber {
  const plain = text
    .trim()
    .replaceAll(/[\s\u00a0\u202f'’]/g, '')
    .replace(/^[−–]/, '-')
  const foreignMark = getDecimalMark() === '.' ? ',' : '.'
  if (/^[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[-+]?\d+)?$/i.test(plain) || /^[-+]?\d+[.,]?$/.test(plain)) {
    // Three digits after the decimal mark of other regions: thousands here, decimals there.
    if (new RegExp(`^[-+]?[1-9]\\d{0,2}\\${foreignMark}\\d{3}$`).test(plain)) return { problem: 'ambiguous' }
    return toTypedNumber(Number(plain.replace(',', '.')))
  }
  const grouped = new RegExp(`^[-+]?\\d{1,3}(?:\\${foreignMark}\\d{3})+(?:\\${getDecimalMark()}\\d+)?$`)
  if (!grouped.test(plain)) return { problem: 'number' }
  return toTypedNumber(Number(plain.replaceAll(foreignMark, '').replace(getDecimalMark(), '.')))
}

/** Formats a number for editing: as {@link parseTypedNumber} parses it, exactly, without grouping. */
export function formatEditable(number: number): string {
  return String(number).replace('.', getDecimalMark())
}

/** Returns the decimal mark of the region: a dot or a comma. */
export function getDecimalMark(): string {
  const mark = new Intl.NumberFormat(getLocale()).formatToParts(1.5).find(({ type }) => type === 'decimal')
  return mark?.value === ',' ? ',' : '.'
}

function toTypedNumber(number: number): TypedNumber {
  return Number.isFinite(number) ? { number } : { problem: 'number' }
}
