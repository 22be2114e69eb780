/** When the user went to bed and got up. (docs/api/measure-methods.md#periods) */
import type { Event } from '../data/model.js'

/** In seconds. */
export interface Night {
  readonly from: number
  readonly to: number
}

/** Seconds between two periods of one night, at most. */
const maxGap = 7200

/**
 * Returns the longest night that ends on a day, from the periods of one source, of which those close together
 * are one night; undefined if there is none.
 */
export function findNight(
  periods: readonly Event[],
  day: { readonly from: number; readonly to: number }
): Night | undefined {
  const spans = periods
    .flatMap(({ time, duration }) =>
      typeof duration === 'number' && duration > 0 ? [{ from: time, to: time + duration }] : []
    )
    .toSorted((a, b) => a.from - b.from)
  const nights: { from: number; to: number }[] = []
  for (const { from, to } of spans) {
    const last = nights.at(-1)
    if (last && from - last.to < maxGap) last.to = Math.max(last.to, to)
    else nights.push({ from, to })
  }
  return (
    nights
      // One that ends at midnight counts on the day before.
      .filter(({ to }) => to > day.from && to <= day.to)
      .toSorted((a, b) => b.to - b.from - (a.to - a.from))[0]
  )
}
