/** A map that evicts the least recently used entry. Unlike cache libraries it allocates no memory in advance. */
export class BoundedMap<K, V> {
  /** In order of use, the least recent first. */
  readonly #entries = new Map<K, V>()

  constructor(private readonly limit: number) {}

  /**
   * Returns the value of a key, whose entry is now the most recently used one. Returns `undefined` if there
   * is none.
   */
  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  /** Sets the value of a key, and evicts the least recently used entry if there are too many. */
  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.limit) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  /** Returns the keys, the least recently used first. */
  keys(): Iterable<K> {
    return this.#entries.keys()
  }

  /** Removes an entry, if it exists. */
  delete(key: K): void {
    this.#entries.delete(key)
  }
}
