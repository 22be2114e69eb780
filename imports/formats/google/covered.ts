/** Times that paths cover. */

/** Spans of time (seconds), which may come in any order. */
export class Covered {
  #spans: { readonly from: number; to: number }[] = []
  #isSorted = true

  add(from: number, to: number): void {
    if (!(to >= from)) return
    const last = this.#spans.at(-1)
    if (last && from < last.from) this.#isSorted = false
    else if (last && from <= last.to) {
      last.to = Math.max(last.to, to)
      return
    }
    this.#spans.push({ from, to })
  }

  /** Whether a time is within one of them. */
  has(time: number): boolean {
    if (!this.#isSorted) this.#sort()
    let [low, high] = [0, this.#spans.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#spans[middle]!.from <= time) low = middle + 1
      else high = middle
    }
    return low > 0 && time <= this.#spans[low - 1]!.to
  }

  #sort(): void {
    const spans = this.#spans.toSorted((a, b) => a.from - b.from)
    this.#spans = []
    this.#isSorted = true
    for (const { from, to } of spans) this.add(from, to)
  }
}
