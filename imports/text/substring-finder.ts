/** Finds a string repeatedly in a text. A section without it is searched once, however often it is queried. */

export class SubstringFinder {
  /** There is no match between these two offsets. */
  #searchedFrom = 0
  #foundAt = -1

  constructor(
    private readonly text: string,
    private readonly searched: string
  ) {}

  /** Returns the index of the first match at `from` or later; `Infinity` if there is none. */
  findFrom(from: number): number {
    if (from >= this.#searchedFrom && from <= this.#foundAt) return this.#foundAt
    const found = this.text.indexOf(this.searched, from)
    this.#searchedFrom = from
    return (this.#foundAt = found < 0 ? Infinity : found)
  }
}
