/** Places in the order of events: by time, and among those of one time by number. */

export type Order = 'ASC' | 'DESC'

/** Where an event stands. */
export interface Key {
  readonly time: number
  readonly number: number
}

/**
 * A stretch of the order that one statement reads: times from `start` to `end` inclusive, in the direction of reading.
 * `after` narrows one whose start is its end to what comes after that number. (A row-value comparison would put both in
 * one statement, but SQLite then scans all rows of that time.)
 */
export interface Stretch {
  readonly start: number
  readonly end: number
  readonly after?: number
}

/** What is left of a stretch after a key in it: the rest of those of the same time, then the later ones. */
export function rest({ end, after }: Stretch, { time, number }: Key, order: Order): Stretch[] {
  const same = { start: time, end: time, after: number }
  return time === end || after !== undefined ? [same] : [same, { start: next(time, order), end }]
}

/** What is left of a stretch for who has come as far as `position`, be that before, in or behind it. */
export function restFrom(stretch: Stretch, position: Key | undefined, order: Order): Stretch[] {
  if (!position || comesBefore(position.time, stretch.start, order)) return [stretch]
  return comesBefore(stretch.end, position.time, order) ? [] : rest(stretch, position, order)
}

/** Whether a time comes before another. */
export function comesBefore(a: number, b: number, order: Order): boolean {
  return order === 'ASC' ? a < b : a > b
}

/** Whether `a` comes before `b`. */
export function isBefore(a: Key, b: Key, order: Order): boolean {
  const difference = a.time === b.time ? a.number - b.number : a.time - b.time
  return order === 'ASC' ? difference < 0 : difference > 0
}

/** The next number that a double can hold, in the direction of the order. */
export function next(time: number, order: Order): number {
  return order === 'ASC' ? up(time) : -up(-time)
}

const double = new DataView(new ArrayBuffer(8))

function up(value: number): number {
  if (value === Infinity) return Infinity
  if (value === 0) return Number.MIN_VALUE
  double.setFloat64(0, value)
  double.setBigInt64(0, double.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return double.getFloat64(0)
}
