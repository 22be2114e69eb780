/** Cells of tables as numbers and times. */
import { isoTime, timeOf } from '../text/times.js'

/** Characters of the longest cell that is read as a number or a time. */
const longestCell = 100

/** Reads a number, with a point or a comma; `undefined` if the cell holds none. */
export function decimal(cell: string | undefined): number | undefined {
  if (cell === undefined || cell.length > longestCell) return undefined
  let plain = cell.trim()
  if (plain.includes(',')) {
    // The last of the two separates decimals, and a lone comma does unless it groups thousands in several places.
    const [comma, point] = [plain.lastIndexOf(','), plain.lastIndexOf('.')]
    if (point > comma) plain = plain.replaceAll(',', '')
    else if (plain.indexOf(',') === comma) plain = plain.replaceAll('.', '').replace(',', '.')
    else plain = plain.replaceAll(',', '')
  }
  if (plain.endsWith('%')) plain = plain.slice(0, -1).trimEnd()
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(plain)) return undefined
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}

const numbered = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:,?\s+|T|$)(.*)$/
const yearFirst = /^(\d{4})[./](\d{1,2})[./](\d{1,2})(?:,?\s+|T|$)(.*)$/
const clockLike =
  /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:\s*([ap]\.?m\.?))?(?:\s*(Z|[+-]\d\d:?\d\d))?$/i

/** Reads a time, in seconds; `NaN` if the cell holds none. Without an offset it is local to `zone`. */
export function cellTime(
  cell: string | undefined,
  clock: string | undefined,
  order: 'dmy' | 'mdy',
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
    const [, first, second, year, rest] = parts
    const [day, month] = order === 'dmy' ? [first, second] : [second, first]
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
