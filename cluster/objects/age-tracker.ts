/** For how long things have been there, by this process's own monotonic clock: nobody's time of day is trusted. */

export class AgeTracker {
  /** When each was first seen, by `performance.now`. */
  readonly #sinceMs = new Map<string, number>()

  /**
   * Takes note of all that is there at present. Returns what has been there, at each look, for so many seconds; what is no longer
   * there is forgotten.
   */
  listOlderThan(seconds: number, present: readonly string[]): string[] {
    const nowMs = performance.now()
    const current = new Set(present)
    for (const each of this.#sinceMs.keys()) if (!current.has(each)) this.#sinceMs.delete(each)
    for (const each of current) if (!this.#sinceMs.has(each)) this.#sinceMs.set(each, nowMs)
    return Array.from(current).filter(each => nowMs - this.#sinceMs.get(each)! >= seconds * 1000)
  }
}
