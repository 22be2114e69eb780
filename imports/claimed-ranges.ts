/** Tracks byte ranges of an archive. Entries never overlap, except in a malicious archive. */

export class ClaimedRanges {
  /** Start and end of each range, ascending. */
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  /**
   * Claims the bytes from `start` up to `end`. Returns false, without claiming, if one of these bytes is claimed
   * already.
   */
  claim(start: number, end: number): boolean {
    const index = this.#countBefore(start)
    const isFree = (this.#ends[index - 1] ?? 0) <= start && end <= (this.#starts[index] ?? Infinity)
    // Usually at the end, as archives list their entries in order.
    if (isFree) {
      this.#starts.splice(index, 0, start)
      this.#ends.splice(index, 0, end)
    }
    return isFree
  }

  /** Returns the number of ranges that begin before an offset. */
  #countBefore(start: number): number {
    let [from, to] = [0, this.#starts.length]
    if (to === 0 || this.#starts[to - 1]! < start) return to
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#starts[middle]! < start) from = middle + 1
      else to = middle
    }
    return from
  }
}
