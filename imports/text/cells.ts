/** Cells of tables as numbers and times. */
import type { DateOrder, Decimals } from '../record.js'
import { isoTime, timeOf } from './times.js'

/** Characters of the longest cell that is read as a number or a time. */
const longestCell = 100

const spaces = /(?<=^[+-]?\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})*)[ \u00a0\u2009\u202f'’](?=\d{3}(?!\d))/g

/** A number as it is written; `decimals` is missing where a mark may stand before decimals or thousands. */
interface Written {
  /** Without signs of percent and spaces between thousands. */
  readonly plain: string
  readonly decimals?: Decimals
  /** The mark that may be either. */
  readonly open?: ',' | '.'
}

/** How a cell writes a number; `undefined` if it holds none. */
export function writtenNumber(cell: string | undefined): Written | undefined {
  if (cell === undefined || cell.length > longestCell) return undefined
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

/** Orders in which a date with numbers alone is one; none for other texts. */
export function dateOrdersOf(cell: string): readonly DateOrder[] {
  const parts = cell.length > longestCell ? null : numbered.exec(cell.trim())
  if (!parts) return []
  const orders: readonly DateOrder[] = parts[3]!.length === 2 ? ['dmy', 'mdy', 'ymd'] : ['dmy', 'mdy']
  const date = cell.trim().slice(0, parts[0].length - parts[4]!.length)
  return orders.filter(order => !Number.isNaN(cellTime(withoutEnd(date), undefined, order, undefined)))
}

/** Whether a cell holds a number, however it is written. */
export function isNumber(cell: string | undefined): boolean {
  return writtenNumber(cell) !== undefined
}

const numbered = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:,?\s+|T|$)(.*)$/
const yearFirst = /^(\d{4})[./](\d{1,2})[./](\d{1,2})(?:,?\s+|T|$)(.*)$/
const clockLike =
  /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:\s*([ap]\.?m\.?))?(?:\s*(Z|[+-]\d\d:?\d\d))?$/i

/** Reads a time, in seconds; `NaN` if the cell holds none. Without an offset it is local to `zone`. */
export function cellTime(
  cell: string | undefined,
  clock: string | undefined,
  order: DateOrder,
  zone: string | undefined
): number {
  const text = clock === undefined ? (cell ?? '').trim() : `${(cell ?? '').trim()} ${clock.trim()}`.trim()
  // Patterns may start again at each character of a cell.
  if (text === '' || text.length > longestCell) return NaN
  const direct = isoTime(text, zone)
  if (!Number.isNaN(direct)) return direct
  if (/^\d{9,13}(?:\.\d+)?$/.test(text)) {
    // Milliseconds from 1973 on have twelve digits.
    const value = Number(text)
    return value >= 1e11 ? value / 1000 : value
  }
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
    return withClock(
      Number(year) < 100 ? 2000 + Number(year) : Number(year),
      Number(month),
      Number(day),
      rest!,
      zone
    )
  }
  const iso = yearFirst.exec(text)
  if (iso) return withClock(Number(iso[1]), Number(iso[2]), Number(iso[3]), iso[4]!, zone)
  const dashed = /^(\d{4})-(\d\d)-(\d\d)[ T]+(.*)$/.exec(text)
  if (dashed) return withClock(Number(dashed[1]), Number(dashed[2]), Number(dashed[3]), dashed[4]!, zone)
  return named(text, zone)
}

function withClock(year: number, month: number, day: number, rest: string, zone: string | undefined): number {
  const clock = rest.trim()
  if (clock === '') return timeOf([year, month, day, 0, 0, 0], 0, undefined, zone)
  const parts = clockLike.exec(clock)
  if (!parts) return NaN
  const [, hour, minute, second = '0', fraction, half, offset] = parts
  let hours = Number(hour)
  if (half !== undefined) hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0)
  return timeOf(
    [year, month, day, hours, Number(minute), Number(second)],
    fraction ? Number(`0.${fraction}`) : 0,
    offset,
    zone
  )
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** `27 Oct 2024 08:00` and `Oct 27, 2024 8:00 AM`. */
function named(text: string, zone: string | undefined): number {
  const parts =
    /^(?:[a-z]{3},? )?(\d{1,2})[ -]([a-z]{3})[a-z]*[ -,]+(\d{4})(.*)$/i.exec(text) ??
    swapped(/^([a-z]{3})[a-z]* (\d{1,2}),? (\d{4})(.*)$/i.exec(text))
  if (!parts) return NaN
  const month = months.indexOf(parts[2]!.toLowerCase()) + 1
  return month === 0
    ? NaN
    : withClock(Number(parts[3]), month, Number(parts[1]), parts[4]!.replace(/^[, ]+(?:at )?/, ''), zone)
}

function swapped(parts: RegExpExecArray | null): (string | undefined)[] | undefined {
  return parts ? [parts[0], parts[2], parts[1], parts[3], parts[4]] : undefined
}

/** Returns a date without what leads over to the time of the day. */
function withoutEnd(date: string): string {
  let end = date.length
  while (end > 0 && /[,\sT]/.test(date[end - 1]!)) end--
  return date.slice(0, end)
}
