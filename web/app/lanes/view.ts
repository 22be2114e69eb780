/** Views of the time axis, and conversion between times and pixels. Times are in seconds. */

/** The visible time range. */
export interface View {
  readonly from: number
  readonly to: number
}

/** Minimum and maximum length of a view, in seconds. */
export const minViewLength = 20
const maxViewLength = 130 * 365 * 86_400
/** Maximum distance of a view from 1970, in seconds. */
const maxTime = 8e9

/** Returns the length of a view, in seconds. */
export function getLength({ from, to }: View): number {
  return to - from
}

/** Returns the x coordinate of a time in `width` pixels; outside of them for times that are not visible. */
export function toX(time: number, { from, to }: View, width: number): number {
  return ((time - from) / (to - from)) * width
}

/** Returns the time at an x coordinate. */
export function toTime(x: number, { from, to }: View, width: number): number {
  return from + (x / width) * (to - from)
}

/** Returns a view moved by some seconds. Limited to permitted times. */
export function panView(view: View, seconds: number): View {
  return clampView({ from: view.from + seconds, to: view.to + seconds })
}

/**
 * Returns a view that is `factor` times as long, with `about` at the same position. Limited to permitted
 * times and lengths.
 */
export function zoomView(view: View, factor: number, about: number): View {
  const length = Math.min(maxViewLength, Math.max(minViewLength, getLength(view) * factor))
  const share = (about - view.from) / getLength(view)
  const from = about - share * length
  return clampView({ from, to: from + length })
}

/** Returns a view limited to permitted times and lengths. */
export function clampView({ from, to }: View): View {
  const length = Math.min(maxViewLength, Math.max(minViewLength, to - from))
  const begin = Math.min(maxTime - length, Math.max(-maxTime, from))
  return { from: begin, to: begin + length }
}

/** Returns whether a range overlaps a view. */
export function overlaps(from: number, to: number, view: View): boolean {
  return to >= view.from && from <= view.to
}
