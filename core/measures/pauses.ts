/** Divides long computations: they pause wherever they yield. */

/** A computation that pauses wherever it yields. */
export type Paused<T> = Generator<undefined, T, void>

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

/** Sorts items, in steps. Stable. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Paused<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let from = 0; from < items.length; from += itemsPerStep) {
    runs.push(items.slice(from, from + itemsPerStep).toSorted(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* merge(runs[at]!, runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

/** Merges two sorted lists. */
function* merge<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (a: T, b: T) => number
): Paused<readonly T[]> {
  if (other.length === 0) return one
  const pauses = new Pauses()
  const merged: T[] = []
  for (let [a, b] = [0, 0]; a < one.length || b < other.length;) {
    const isFirst = b === other.length || (a < one.length && compare(one[a]!, other[b]!) <= 0)
    merged.push(isFirst ? one[a++]! : other[b++]!)
    if (pauses.isDue(1)) yield
  }
  return merged
}

/** Groups items by a key, in steps. */
export function* groupInSteps<K, V>(items: Iterable<V>, getKey: (item: V) => K): Paused<Map<K, V[]>> {
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
