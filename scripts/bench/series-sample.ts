/** The points that rows of the bench post and read. */

/** What each request puts in place of this is a number of its own, of the same length: points that come after all others. */
export const serialMark = '10000000'

/** Points as they are posted. Their times are so many seconds after `start`. */
export function postedPoints(count: number, start: number | string = serialMark): string {
  const points = Array.from(
    { length: count },
    (_, i) => `[${start}.${String(i).padStart(3, '0')},${valueAt(i)}]`
  )
  return `{"format":"flatJSON","fields":["deltaTime","value"],"points":[${points.join(',')}]}`
}

/** Rows of a series with a point each half second. */
export function keptPoints(count: number, from = 0): [deltaTime: number, value: number][] {
  return Array.from({ length: count }, (_, i) => [(from + i) * 0.5, valueAt(from + i)])
}

function valueAt(i: number): number {
  return 60 + ((i * 7) % 200) / 10
}
