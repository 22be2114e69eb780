/** Stretches of time, and where they lie on a line of pixels. Times in seconds. */

/** The stretch of time in sight. */
export interface View {
  readonly from: number
  readonly to: number
}

/** The shortest and the longest stretch that can be looked at, in seconds. */
export const shortest = 20
export const longest = 130 * 365 * 86_400
/** Seconds from 1970 within which people's data lie. */
const furthest = 8e9

export function lengthOf({ from, to }: View): number {
  return to - from
}

/** Where a time lies in a width of pixels; beyond its ends for times that are out of sight. */
export function place(time: number, { from, to }: View, width: number): number {
  return ((time - from) / (to - from)) * width
}

/** The time at a place. */
export function timeAt(x: number, { from, to }: View, width: number): number {
  return from + (x / width) * (to - from)
}

/** The stretch that begins so many seconds later. */
export function panned(view: View, seconds: number): View {
  return bounded({ from: view.from + seconds, to: view.to + seconds })
}

/** The stretch that is `factor` times as long, with `about` at the same place. */
export function zoomed(view: View, factor: number, about: number): View {
  const length = Math.min(longest, Math.max(shortest, lengthOf(view) * factor))
  const share = (about - view.from) / lengthOf(view)
  const from = about - share * length
  return bounded({ from, to: from + length })
}

/** The stretch, moved into the times that can be looked at. */
export function bounded({ from, to }: View): View {
  const length = Math.min(longest, Math.max(shortest, to - from))
  const begin = Math.min(furthest - length, Math.max(-furthest, from))
  return { from: begin, to: begin + length }
}

/** Whether a stretch has any time in common with another one. */
export function isWithin(from: number, to: number, view: View): boolean {
  return to >= view.from && from <= view.to
}
