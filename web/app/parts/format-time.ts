/** Formats times, in the time zone of this device unless another is given. Times are in seconds. */
import { getLocale, t } from '../../language.js'

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * Formats a time with options of `Intl.DateTimeFormat`. Formatters are cached, because creating one is slow.
 * Times that dates cannot represent are limited.
 */
export function formatTime(seconds: number, options: Intl.DateTimeFormatOptions): string {
  const key = `${getLocale()} ${JSON.stringify(options)}`
  let format = formats.get(key)
  if (!format) formats.set(key, (format = new Intl.DateTimeFormat(getLocale(), options)))
  // Dates are limited to 8.64e12 seconds before and after 1970.
  return format.format(Math.max(-8.64e12, Math.min(seconds, 8.64e12)) * 1000)
}

/** Formats a time: `14 Nov, 18:24`; with the year unless it is the current one. */
export function formatDateTime(seconds: number, zone?: string): string {
  const inZone = zone === undefined ? {} : { timeZone: zone }
  const formatYear = (time: number): string => formatTime(time, { year: 'numeric', ...inZone })
  const isThisYear = formatYear(seconds) === formatYear(Date.now() / 1000)
  return formatTime(seconds, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...inZone
  })
}

/** Formats a day: `14 November 2026`. */
export function formatDay(seconds: number, zone?: string): string {
  return formatTime(seconds, { dateStyle: 'long', ...(zone === undefined ? {} : { timeZone: zone }) })
}

/** Formats a time of day: `18:24`. */
export function formatClock(seconds: number, zone?: string): string {
  return formatTime(seconds, {
    hour: '2-digit',
    minute: '2-digit',
    ...(zone === undefined ? {} : { timeZone: zone })
  })
}

/** Returns the name of a day of the week: 1 is Monday. */
export function formatWeekday(day: number): string {
  return formatTime((day + 3) * 86_400, { weekday: 'short', timeZone: 'UTC' })
}

/**
 * Formats how long ago a time was: `just now`, `3 minutes ago`, `1 day ago`. Times in the future are just
 * now.
 */
export function formatAgo(seconds: number, now = Date.now() / 1000): string {
  const minutes = (now - seconds) / 60
  if (minutes < 1) return t('shell.justNow')
  const format = new Intl.RelativeTimeFormat(getLocale())
  if (minutes < 60) return format.format(-Math.floor(minutes), 'minute')
  if (minutes < 24 * 60) return format.format(-Math.floor(minutes / 60), 'hour')
  return format.format(-Math.floor(minutes / 1440), 'day')
}
