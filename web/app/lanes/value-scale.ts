/** Vertical positions of values in a lane, in pixels. */
import type { ValueRange } from './value-range.js'

/** Returns the y coordinate of a value. */
export type ValueScale = (value: number) => number

/**
 * Returns the vertical scale of a lane. The first lane reserves space for the names of spans. Without a
 * range, all values are in the middle.
 */
export function createValueScale(
  { height }: { readonly height: number },
  range: ValueRange | undefined,
  isFirst: boolean
): ValueScale {
  if (!range) return () => height / 2
  const { bottom, top } = getPadding(isFirst)
  const scale = (height - top - bottom) / (range.high - range.low || 1)
  return value => height - bottom - (value - range.low) * scale
}

/** Returns the padding above and below the values, in pixels. */
export function getPadding(isFirst: boolean): { readonly top: number; readonly bottom: number } {
  return { top: isFirst ? 26 : 8, bottom: 8 }
}
