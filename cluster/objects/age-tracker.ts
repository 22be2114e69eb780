/** Tracks for how long items have existed, by this process's monotonic clock: no wall clock is trusted. */

export class AgeTracker {
  /** When each was first seen, by `performance.now`. */
  readonly #sinceMs = new Map<string, number>()

  /**
   * Records all items that exist at present, and forgets others. Returns those that have been seen by each call for a
   * number of seconds.
   */
  listOlderThan(seconds: number, present: readonly string[]): string[] {
    const nowMs = performance.now()
    const current = new Set(present)
    for (const each of this.#sinceMs.keys()) if (!current.has(each)) this.#sinceMs.delete(each)
    for (const each of current) if (!this.#sinceMs.has(each)) this.#sinceMs.set(each, nowMs)
    return Array.from(current).filter(each => nowMs - this.#sinceMs.get(each)! >= seconds * 1000)
  }
}
