/** Recently used bytes, up to a total size: a page full of pictures is often viewed more than once. */
export class RecentlyUsedBytes {
  /** In order of use, the least recent first. */
  readonly #entries = new Map<string, Buffer>()
  #size = 0

  constructor(private readonly limit: number) {}

  /** Returns the bytes stored under a key, which are now the most recently used ones. */
  get(key: string): Buffer | undefined {
    const bytes = this.#entries.get(key)
    if (bytes) {
      this.#entries.delete(key)
      this.#entries.set(key, bytes)
    }
    return bytes
  }

  /**
   * Stores bytes, and evicts the least recently used ones above the limit. Bytes larger than the limit are not stored.
   */
  set(key: string, bytes: Buffer): void {
    this.delete(key)
    if (bytes.length > this.limit) return
    this.#entries.set(key, bytes)
    this.#size += bytes.length
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.limit) return
      this.delete(oldest)
    }
  }

  /** Deletes an entry, if it exists. */
  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.length ?? 0
    this.#entries.delete(key)
  }

  /** Deletes all entries whose keys begin with a prefix. */
  deleteWithPrefix(prefix: string): void {
    for (const key of Array.from(this.#entries.keys())) if (key.startsWith(prefix)) this.delete(key)
  }
}
