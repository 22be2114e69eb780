/** Finds the most frequent word of a day, while its words are read. */

/** How often the user has recorded a word, and when for the last time. */
interface Word {
  /** JSON. */
  readonly text: string
  count: number
  last: number
}

/** Characters of a word that take as much memory as a number. */
const charactersPerValue = 100
/** Values of about 150 bytes for which a word takes memory, besides its text. */
const valuesPerWord = 1

/** The words of a source in a day. There may be hundreds of thousands. */
export class DayWords {
  /** Number of values of about 150 bytes for which a day takes memory, without its words. */
  static readonly held = 1.5
  readonly #byText = new Map<string, Word>()
  #count = 0
  #mostFrequent: Word | undefined

  /** Number of events and points. */
  get count(): number {
    return this.#count
  }

  /** JSON of the most frequent word, of the last one of equally frequent ones; `undefined` without words. */
  get mostFrequent(): string | undefined {
    return this.#mostFrequent?.text
  }

  /** Adds a word, as JSON. Returns the number of further values that it takes memory for. */
  add(text: string, time: number): number {
    const known = this.#byText.get(text)
    const word = known ?? { text, count: 0, last: -Infinity }
    word.count++
    word.last = Math.max(word.last, time)
    this.#count++
    if (!this.#mostFrequent || isMoreFrequent(word, this.#mostFrequent)) this.#mostFrequent = word
    if (known) return 0
    this.#byText.set(text, word)
    return valuesPerWord + text.length / charactersPerValue
  }
}

/** Of words that are equally frequent, the last one counts. */
function isMoreFrequent(a: Word, b: Word): boolean {
  return a.count === b.count ? a.last > b.last : a.count > b.count
}
