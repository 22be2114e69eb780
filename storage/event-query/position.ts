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
export interface KeyRange {
  readonly start: number
  readonly end: number
  readonly after?: number
}

/** What is left of a stretch after a key in it: the rest of those of the same time, then the later ones. */
export function getRemainder({ end, after }: KeyRange, { time, number }: Key, order: Order): KeyRange[] {
  const same = { start: time, end: time, after: number }
  return time === end || after !== undefined ? [same] : [same, { start: nextDouble(time, order), end }]
}

/** What is left of a stretch for who has come as far as `position`, be that before, in or behind it. */
export function getRemainderFrom(range: KeyRange, position: Key | undefined, order: Order): KeyRange[] {
  if (!position || comesBefore(position.time, range.start, order)) return [range]
  return comesBefore(range.end, position.time, order) ? [] : getRemainder(range, position, order)
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
export function nextDouble(time: number, order: Order): number {
  return order === 'ASC' ? nextUp(time) : -nextUp(-time)
}

const doubleView = new DataView(new ArrayBuffer(8))

function nextUp(value: number): number {
  if (value === Infinity) return Infinity
  if (value === 0) return Number.MIN_VALUE
  doubleView.setFloat64(0, value)
  doubleView.setBigInt64(0, doubleView.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return doubleView.getFloat64(0)
}
