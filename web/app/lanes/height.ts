/** Where values stand in a lane, in pixels. */
import type { ValueRange } from './range.js'

/** The height of a value. */
export type Height = (value: number) => number

/** Heights of values between the edges of a lane; the first one has room above for names of spans. */
export function heightOf(
  { height }: { readonly height: number },
  range: ValueRange | undefined,
  isFirst: boolean
): Height {
  if (!range) return () => height / 2
  const { bottom, top } = roomOf(isFirst)
  const scale = (height - top - bottom) / (range.high - range.low || 1)
  return value => height - bottom - (value - range.low) * scale
}

/** Pixels above and below the values. */
export function roomOf(isFirst: boolean): { readonly top: number; readonly bottom: number } {
  return { top: isFirst ? 26 : 8, bottom: 8 }
}
