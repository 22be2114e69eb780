/** Bounds the memory taken by the levels that grants have computed for whole stream trees: the oldest are dropped first. */

/** Something that holds derived data, which can be computed again. */
interface Derived {
  /** Drops the derived data. */
  dropCache(): void
}

interface Entry {
  readonly data: WeakRef<Derived>
  readonly size: number
}

/** Fixed size of an entry, in streams, on top of its own streams. */
const ownSize = 100

/** Counts the levels that are kept, and drops the oldest beyond a total size. */
export class DerivedDataCache {
  /** Oldest first. */
  readonly #entries = new Set<Entry>()
  readonly #latest = new WeakMap<Derived, Entry>()
  #size = 0

  /** `max`: total size of all entries, in streams. */
  constructor(private readonly max: number) {}

  /**
   * Registers data derived for `streams` streams. The oldest entries are dropped if the total is too large.
   * The one registered now always stays.
   */
  register(derived: Derived, streams: number): void {
    const before = this.#latest.get(derived)
    if (before) this.#remove(before)
    const entry = { data: new WeakRef(derived), size: ownSize + streams }
    this.#latest.set(derived, entry)
    this.#entries.add(entry)
    this.#size += entry.size
    for (const oldest of this.#entries) {
      if (this.#size <= this.max || oldest === entry) return
      this.#remove(oldest)
      oldest.data.deref()?.dropCache()
    }
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#size -= entry.size
  }
}
