/** Joins the runs of a text, each of which may have its own format. */

/** Maximum length of a cell's text, in characters. */
const maxCellLength = 200_000

export class TextRuns {
  #text = ''
  #isInText = false
  #isTooLong = false
  /** True within a phonetic reading. */
  #isPhonetic = false

  /** Opens an element, by its name without prefix: `v` contains values, `t` texts. */
  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true
    this.#isInText = (name === 't' || name === 'v') && !this.#isPhonetic
  }

  /** Closes an element; texts outside of `v` and `t` are ignored. */
  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false
    this.#isInText = false
  }

  /** Adds text of the open element. A text that becomes too long is dropped as a whole. */
  add(text: string): void {
    if (!this.#isInText || this.#isTooLong) return
    this.#isTooLong = this.#text.length + text.length > maxCellLength
    this.#text = this.#isTooLong ? '' : this.#text + text
  }

  /** True if the text was longer than a cell may be; it is empty then. */
  get isTooLong(): boolean {
    return this.#isTooLong
  }

  /** The joined text. Characters that XML does not allow are written by number: `_x000D_`. */
  get text(): string {
    if (!this.#text.includes('_x')) return this.#text
    return this.#text.replaceAll(/_x([0-9a-f]{4})_/gi, (_whole, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16))
    )
  }
}
