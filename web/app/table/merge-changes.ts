/** Merges changed events into the loaded rows. */
import type { Event } from '../data/model.js'

/**
 * Returns the rows with changed events removed and their new versions inserted. If more rows exist than are loaded, events beyond
 * the last row are left to be read later. Returns undefined if the position of an event relative to the last row is ambiguous.
 */
export function mergeChanges(
  rows: readonly Event[],
  found: readonly Event[],
  changed: ReadonlySet<string>,
  { isUp, isWhole }: { readonly isUp: boolean; readonly isWhole: boolean }
): readonly Event[] | undefined {
  const positions = new Map(rows.map(({ id }, at) => [id, at]))
  const isReplaced = new Set([...changed, ...found.map(({ id }) => id)])
  const kept = rows.filter(({ id }) => !isReplaced.has(id))
  const last = rows.at(-1)
  const isAfter = (a: Event, b: Event): boolean => (isUp ? a.time > b.time : a.time < b.time)
  // Among events of the same time, new ones come last in ascending order.
  const isAmbiguous = ({ id, time }: Event): boolean => !isWhole && time === last?.time && !positions.has(id)
  if (found.some(isAmbiguous)) return undefined
  for (const event of isUp ? found : found.toReversed()) {
    const before = positions.get(event.id)
    const isMoved = before === undefined || rows[before]!.time !== event.time
    const at = kept.findIndex(each => {
      if (each.time !== event.time) return isAfter(each, event)
      return isMoved ? !isUp : (positions.get(each.id) ?? (isUp ? Infinity : -1)) > before
    })
    if (at >= 0) kept.splice(at, 0, event)
    else if (isWhole || (last && !isAfter(event, last))) kept.push(event)
  }
  return kept
}
