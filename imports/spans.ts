/** Parts of a file that are spoken for: those of an archive's entries never overlap, unless somebody made it to hold others up. */

export class Spans {
  /** Where each begins and ends, ascending. */
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  /** Claims the bytes from `start` up to `end`; returns false, and claims nothing, where one of them has been claimed before. */
  claim(start: number, end: number): boolean {
    const at = this.#placeOf(start)
    const isFree = (this.#ends[at - 1] ?? 0) <= start && end <= (this.#starts[at] ?? Infinity)
    // Mostly at the end: archives list their entries in order.
    if (isFree) {
      this.#starts.splice(at, 0, start)
      this.#ends.splice(at, 0, end)
    }
    return isFree
  }

  /** How many begin before a place. */
  #placeOf(start: number): number {
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
