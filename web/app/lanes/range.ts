/** The vertical range of a lane. */
import { firstAt, type LaneData } from './data.js'
import type { View } from './scale.js'

export interface ValueRange {
  readonly low: number
  readonly high: number
}

/** Returns the range of the visible values, with padding; undefined for data without values. */
export function rangeOf(data: LaneData, view: View): ValueRange | undefined {
  if (data.kind === 'band') {
    const within = data.parts.slice(firstAt(data.parts, view.from - data.step), firstAt(data.parts, view.to))
    const own = extremes(
      within.length > 0 ? within : data.parts,
      ({ min }) => min,
      ({ max }) => max
    )
    if (!own) return undefined
    return data.isAmount === true ? { low: Math.min(0, own.low), high: own.high * 1.08 || 1 } : withRoom(own)
  }
  if (data.kind === 'pairs') {
    const own = extremes(
      data.bars,
      ({ low }) => low,
      ({ high }) => high
    )
    return own && withRoom(own)
  }
  return undefined
}

function extremes<T>(
  items: readonly T[],
  least: (item: T) => number,
  most: (item: T) => number
): ValueRange | undefined {
  let [low, high] = [Infinity, -Infinity]
  for (const item of items) {
    if (least(item) < low) low = least(item)
    if (most(item) > high) high = most(item)
  }
  return low <= high ? { low, high } : undefined
}

function withRoom({ low, high }: ValueRange): ValueRange {
  const room = high > low ? (high - low) * 0.12 : Math.max(1, Math.abs(high) * 0.05)
  return { low: low - room, high: high + room }
}
