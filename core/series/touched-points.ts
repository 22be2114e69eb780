/**
 * Records which points of received series users have written or removed, so that data that arrives again leaves them as they are.
 * (docs/api/connections.md#what-is-stored)
 */
import type { Holder, Points } from '../../storage/repositories/series.js'
import type { Range } from '../../storage/series/page.js'
import type { UserStore } from '../../storage/user/user-store.js'

type Stores = Pick<UserStore, 'received' | 'series'>

/** Records that a user writes points. Does nothing for series that were not received. */
export function noteWrittenPoints(
  store: Stores,
  { id, number }: Pick<Holder, 'id' | 'number'>,
  { rows }: Points
): void {
  if (rows.length === 0 || !store.received.hasSeries(id)) return
  store.received.addTouched(number, { first: rows[0]![0], last: rows.at(-1)![0], isRemoved: 0 })
}

/**
 * Records that a user removes the points of a range; call it before. Points that arrive later are not
 * affected. Does nothing for series that were not received, or without points in the range.
 */
export function noteRemovedPoints(
  store: Stores,
  { id, number }: Pick<Holder, 'id' | 'number'>,
  { from, to }: Range
): void {
  if (!store.received.hasSeries(id)) return
  const bounds = store.series.getBounds(number)
  if (!bounds) return
  const [first, last] = [Math.max(from, bounds.first), Math.min(to, bounds.until)]
  if (first <= last) store.received.addTouched(number, { first, last, isRemoved: 1 })
}
