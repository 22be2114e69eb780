/** Times and durations, as Prometheus writes them. */
import { parseTime as parseRfcTime } from '../../schemas/zones.js'

const units: Readonly<Record<string, number>> = {
  y: 365 * 86_400,
  w: 7 * 86_400,
  d: 86_400,
  h: 3600,
  m: 60,
  s: 1,
  ms: 0.001
}

/** Parses a duration such as `1h30m` or a number of seconds. Returns seconds; `undefined` if it is neither. */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return Number(text)
  if (!/^(?:\d{1,9}(?:ms|[ywdhms])){1,7}$/.test(text)) return undefined
  let seconds = 0
  for (const [, number, unit] of text.matchAll(/(\d{1,9})(ms|[ywdhms])/g))
    seconds += Number(number) * units[unit!]!
  return seconds
}

/** Parses a time: Unix seconds, or RFC 3339. Returns Unix seconds; `undefined` if it is neither, or does not exist. */
export function parseTime(text: string): number | undefined {
  if (/^-?\d{1,15}(?:\.\d{1,9})?$/.test(text)) return Number(text)
  return parseRfcTime(text)
}
