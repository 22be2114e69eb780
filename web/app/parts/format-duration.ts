/** Formats durations and file sizes. */
import { getLocale } from '../../language.js'

/** Greatest duration, in seconds: the distance of two dates. */
const maxDuration = 1.728e13

/** Formats a duration in seconds: `7 h 52 min`, `46 min`, `1.5 s`; in days from two days on. */
export function formatDuration(seconds: number): string {
  const finite = Math.max(-maxDuration, Math.min(seconds, maxDuration))
  const whole = Math.round(finite)
  if (whole < 60) return formatUnit(Math.round(finite * 10) / 10, 'second')
  if (whole < 3600) return formatUnit(Math.round(whole / 60), 'minute')
  const [large, small, size, inner] =
    whole < 2 * 86_400 ? (['hour', 'minute', 3600, 60] as const) : (['day', 'hour', 86_400, 3600] as const)
  const remainder = Math.round((whole % size) / inner)
  const isCarried = remainder * inner === size
  const count = Math.floor(whole / size) + (isCarried ? 1 : 0)
  return remainder === 0 || isCarried
    ? formatUnit(count, large)
    : `${formatUnit(count, large)} ${formatUnit(remainder, small)}`
}

/** Formats a size in bytes: `3.2 MB`. */
export function formatSize(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return new Intl.NumberFormat(getLocale(), {
    style: 'unit',
    unit: units[step]!,
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1
  }).format(bytes / 1000 ** step)
}

function formatUnit(value: number, name: 'day' | 'hour' | 'minute' | 'second'): string {
  return new Intl.NumberFormat(getLocale(), { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)
}
