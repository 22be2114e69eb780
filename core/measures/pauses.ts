/** Divides long computations into steps. */
import type { Steps } from '../../storage/steps.js'

/** Items handled between two pauses: well below a millisecond. */
const itemsPerStep = 1000

/** Counts items, and tells when a pause is due. */
export class Pauses {
  #items = 0

  /** Adds items that have been handled. Returns whether a pause is due. */
  isDue(items: number): boolean {
    this.#items += items
    if (this.#items < itemsPerStep) return false
    this.#items = 0
    return true
  }
}

/** Groups items by a key, in steps. */
export function* groupInSteps<K, V>(items: Iterable<V>, getKey: (item: V) => K): Steps<Map<K, V[]>> {
  const pauses = new Pauses()
  const groups = new Map<K, V[]>()
  for (const item of items) {
    const key = getKey(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
    if (pauses.isDue(1)) yield
  }
  return groups
}
