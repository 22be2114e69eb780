/** A text of a workbook, which may be made of runs with formats of their own. */

/** Characters of the longest text of a cell. */
const longestCell = 200_000

export class TextParts {
  #text = ''
  #isTaken = false
  #isTooLong = false
  /** Within what tells how a text is spoken. */
  #isPhonetic = false

  /** Names are those of elements without prefixes: `v` has values, `t` texts. */
  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true
    this.#isTaken = (name === 't' || name === 'v') && !this.#isPhonetic
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false
    this.#isTaken = false
  }

  add(text: string): void {
    if (!this.#isTaken || this.#isTooLong) return
    this.#isTooLong = this.#text.length + text.length > longestCell
    this.#text = this.#isTooLong ? '' : this.#text + text
  }

  get isTooLong(): boolean {
    return this.#isTooLong
  }

  /** What it says. Characters that XML does not have are written by their numbers: `_x000D_`. */
  get text(): string {
    if (!this.#text.includes('_x')) return this.#text
    return this.#text.replaceAll(/_x([0-9a-f]{4})_/gi, (_whole, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16))
    )
  }
}
