/** Merges changed events into the loaded rows. */
import type { Event } from '../data/model.js'

/**
 * Returns the rows with changed events removed and their new versions inserted. If more rows exist than are loaded, events beyond
 * the last row are left to be read later. Returns undefined if the position of an event relative to the last row is ambiguous.
 */
export function merged(
  rows: readonly Event[],
  found: readonly Event[],
  changed: ReadonlySet<string>,
  { isUp, isWhole }: { readonly isUp: boolean; readonly isWhole: boolean }
): readonly Event[] | undefined {
  const places = new Map(rows.map(({ id }, at) => [id, at]))
  const isGone = new Set([...changed, ...found.map(({ id }) => id)])
  const kept = rows.filter(({ id }) => !isGone.has(id))
  const last = rows.at(-1)
  const isBehind = (a: Event, b: Event): boolean => (isUp ? a.time > b.time : a.time < b.time)
  // Among events of the same time, new ones come last in ascending order.
  const isUnclear = ({ id, time }: Event): boolean => !isWhole && time === last?.time && !places.has(id)
  if (found.some(isUnclear)) return undefined
  for (const event of isUp ? found : found.toReversed()) {
    const before = places.get(event.id)
    const isMoved = before === undefined || rows[before]!.time !== event.time
    const at = kept.findIndex(each => {
      if (each.time !== event.time) return isBehind(each, event)
      return isMoved ? !isUp : (places.get(each.id) ?? (isUp ? Infinity : -1)) > before
    })
    if (at >= 0) kept.splice(at, 0, event)
    else if (isWhole || (last && !isBehind(event, last))) kept.push(event)
  }
  return kept
}
