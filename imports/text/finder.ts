/** Finds marks in a text again and again: a stretch without any is searched once, however often it is asked about. */

export class Finder {
  /** Between these two there is none. */
  #since = 0
  #found = -1

  constructor(
    private readonly text: string,
    private readonly mark: string
  ) {}

  /** Index of the first mark at `from` or later; `Infinity` if there is none. */
  from(from: number): number {
    if (from >= this.#since && from <= this.#found) return this.#found
    const found = this.text.indexOf(this.mark, from)
    this.#since = from
    return (this.#found = found < 0 ? Infinity : found)
  }
}
