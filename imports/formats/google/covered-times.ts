/** Tracks the time ranges that paths cover. */

/** A set of time ranges (seconds), added in any order. */
export class CoveredTimes {
  #ranges: { readonly from: number; to: number }[] = []
  #isSorted = true

  /** Adds the range from `from` to `to` (seconds); ignored if it ends before it begins. */
  add(from: number, to: number): void {
    if (!(to >= from)) return
    const last = this.#ranges.at(-1)
    if (last && from < last.from) this.#isSorted = false
    else if (last && from <= last.to) {
      last.to = Math.max(last.to, to)
      return
    }
    this.#ranges.push({ from, to })
  }

  /** Returns true if a time is within one of the ranges. */
  has(time: number): boolean {
    if (!this.#isSorted) this.#sortAndMerge()
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ranges[middle]!.from <= time) low = middle + 1
      else high = middle
    }
    return low > 0 && time <= this.#ranges[low - 1]!.to
  }

  #sortAndMerge(): void {
    const ranges = this.#ranges.toSorted((a, b) => a.from - b.from)
    this.#ranges = []
    this.#isSorted = true
    for (const { from, to } of ranges) this.add(from, to)
  }
}
