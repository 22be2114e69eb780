/** The order in which reads of the same data begin: their answers may arrive in another one. */

/** Keeps the results of reads, except those that are overtaken by a read that began later. */
export class ReadOrder {
  #begun = 0
  #kept = 0
  #abort = new AbortController()

  /** Is aborted when the reads under way are dropped. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /**
   * Passes the result of a read that begins now to `keep`, unless one that began later has been kept before. Rejects as the read does,
   * unless it was overtaken.
   */
  async keep<T>(reading: Promise<T>, keep: (found: T) => void): Promise<void> {
    const own = ++this.#begun
    try {
      const found = await reading
      if (own <= this.#kept) return
      this.#kept = own
      keep(found)
    } catch (error) {
      if (own >= this.#kept) throw error
    }
  }

  /** Ignores the results of all reads that are under way, and aborts `signal`. */
  drop(): void {
    this.#kept = ++this.#begun
    this.#abort.abort()
    this.#abort = new AbortController()
  }
}
