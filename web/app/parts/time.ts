/** Times as people read them, in the zone of this device unless another is given. Times in seconds. */
import { locale } from '../../language.js'

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats a time by options of `Intl.DateTimeFormat`; formatters are kept, as making one takes long. */
export function formatted(seconds: number, options: Intl.DateTimeFormatOptions): string {
  const key = `${locale()} ${JSON.stringify(options)}`
  let format = formats.get(key)
  if (!format) formats.set(key, (format = new Intl.DateTimeFormat(locale(), options)))
  // Dates end 8.64e12 seconds from 1970, either way.
  return format.format(Math.max(-8.64e12, Math.min(seconds, 8.64e12)) * 1000)
}

/** `14 Nov, 18:24`; with the year if it is another one. */
export function dayAndTime(seconds: number, zone?: string): string {
  const isThisYear = new Date(seconds * 1000).getFullYear() === new Date().getFullYear()
  return formatted(seconds, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(zone === undefined ? {} : { timeZone: zone })
  })
}

/** `14 November 2026`. */
export function day(seconds: number, zone?: string): string {
  return formatted(seconds, { dateStyle: 'long', ...(zone === undefined ? {} : { timeZone: zone }) })
}

/** `18:24`. */
export function clock(seconds: number, zone?: string): string {
  return formatted(seconds, {
    hour: '2-digit',
    minute: '2-digit',
    ...(zone === undefined ? {} : { timeZone: zone })
  })
}
