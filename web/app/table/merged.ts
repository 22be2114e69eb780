/** Puts events that have changed into the rows that are shown. */
import type { Event } from '../data/model.js'

/**
 * Returns rows in order without those that have changed, and with what has become of them; where there are more rows than have been
 * read, those that come behind are left to be read. `undefined` if one may come before the last row as well as behind it.
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
  // Of one time, those that came later stand behind when sorted upwards.
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
