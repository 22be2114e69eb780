/** The vertical range of a lane. */
import { findIndexAt, type LaneData } from './lane-data.js'
import type { View } from './view.js'

export interface ValueRange {
  readonly low: number
  readonly high: number
}

/**
 * Returns the range of the visible values (of all, if none is visible), with padding; undefined for data
 * without values.
 */
export function getValueRange(data: LaneData, view: View): ValueRange | undefined {
  if (data.kind === 'band') {
    const visible = data.parts.slice(
      findIndexAt(data.parts, view.from - data.step),
      findIndexAt(data.parts, view.to)
    )
    const own = findExtremes(
      visible.length > 0 ? visible : data.parts,
      ({ min }) => min,
      ({ max }) => max
    )
    if (!own) return undefined
    return data.isAmount === true
      ? { low: Math.min(0, own.low), high: own.high * 1.08 || 1 }
      : addPadding(own)
  }
  if (data.kind === 'pairs') {
    const own = findExtremes(
      data.bars,
      ({ low }) => low,
      ({ high }) => high
    )
    return own && addPadding(own)
  }
  return undefined
}

function findExtremes<T>(
  items: readonly T[],
  getMin: (item: T) => number,
  getMax: (item: T) => number
): ValueRange | undefined {
  let [low, high] = [Infinity, -Infinity]
  for (const item of items) {
    if (getMin(item) < low) low = getMin(item)
    if (getMax(item) > high) high = getMax(item)
  }
  return low <= high ? { low, high } : undefined
}

function addPadding({ low, high }: ValueRange): ValueRange {
  const padding = high > low ? (high - low) * 0.12 : Math.max(1, Math.abs(high) * 0.05)
  return { low: low - padding, high: high + padding }
}
