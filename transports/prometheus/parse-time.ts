/** Times and durations, as Prometheus writes them. */
import { parseTime as parseRfcTime } from '../../schemas/zones.js'

/** Times and durations are multiples of this, in seconds. */
export const resolution = 0.001
/** Longest duration in seconds, as in Prometheus: about 292 years. */
const maxDuration = 2 ** 63 / 1e9

/** Units from the longest to the shortest, as they follow each other, in seconds. */
const units = { y: 365 * 86_400, w: 7 * 86_400, d: 86_400, h: 3600, m: 60, s: 1, ms: 0.001 }
const durationPattern =
  /^(?:(\d{1,16})y)?(?:(\d{1,16})w)?(?:(\d{1,16})d)?(?:(\d{1,16})h)?(?:(\d{1,16})m)?(?:(\d{1,16})s)?(?:(\d{1,16})ms)?$/
/** Numbers as Go parses them. */
const numberPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * Parses a duration such as `1h30m` or a number of seconds. Returns whole milliseconds, in seconds; `undefined` if it is neither, or
 * longer than durations may be.
 */
export function parseDuration(text: string): number | undefined {
  const seconds = parseNumber(text) ?? parseUnits(text)
  if (seconds === undefined || Math.abs(seconds) > maxDuration) return undefined
  // Rounded: 0.29 s are a little less than 290 ms.
  return Math.trunc(Math.round(seconds * 1e6) / 1000) / 1000
}

/**
 * Parses a time: Unix seconds, or RFC 3339. Returns whole milliseconds, in Unix seconds; `undefined` if it is neither, or does not
 * exist.
 */
export function parseTime(text: string): number | undefined {
  const time = parseNumber(text) ?? parseRfcTime(text)
  return time === undefined ? undefined : Math.round(time * 1000) / 1000
}

function parseNumber(text: string): number | undefined {
  const number = text.length <= 100 && numberPattern.test(text) ? Number(text) : NaN
  return Number.isFinite(number) ? number : undefined
}

function parseUnits(text: string): number | undefined {
  const counts = text === '' ? undefined : durationPattern.exec(text)?.slice(1)
  return counts && Object.values(units).reduce((sum, unit, at) => sum + Number(counts[at] ?? 0) * unit, 0)
}
