/** Reads a long list as it comes in, item by item, so that it never lies in memory as a whole. */

/** A pair that begins with a backslash; what opens and closes strings, arrays and objects; what separates items. */
const marks = /\\.|["[\]{},]/gs

/**
 * Yields the items of the array that a JSON object has under `name`, each parsed by itself. `onHead` gets the text before the first
 * one, which ends with the bracket that opens the array. Throws a `SyntaxError` if the text ends early.
 */
export async function* itemsIn<T>(
  chunks: AsyncIterable<string>,
  name: string,
  onHead?: (text: string) => void
): AsyncGenerator<T, void> {
  const scanner = new Scanner(`"${name}":`)
  let isFirst = true
  for await (const chunk of chunks)
    for (const item of scanner.take(chunk)) {
      if (isFirst) onHead?.(scanner.head)
      isFirst = false
      yield JSON.parse(item) as T
    }
  JSON.parse(scanner.rest)
}

class Scanner {
  /** What lies outside the list. */
  rest = ''
  /** What lies before it. */
  head = ''
  /** The item that has not come to its end. */
  #item = ''
  /** A backslash whose other half is in the next piece. */
  #half = ''
  /** Arrays and objects that are open; within the list two. */
  #depth = 0
  #isInString = false
  #isInList = false

  /** `key`: what stands before the list. */
  constructor(private readonly key: string) {}

  /** Returns the items that end in the next piece of the text. */
  take(piece: string): string[] {
    const items: string[] = []
    const added = this.#half + piece
    // What is there of an item holds whole pairs: to look through it again, or copy it, for each piece would take very long.
    this.#half = endsHalf(added) ? '\\' : ''
    const text = added.slice(0, added.length - this.#half.length)
    let begin = 0
    marks.lastIndex = 0
    for (let found = marks.exec(text); found; found = marks.exec(text)) {
      const { 0: mark, index } = found
      if (mark === '"') this.#isInString = !this.#isInString
      else if (this.#isInString) continue
      else if (mark === '[' || mark === '{') {
        this.#depth += 1
        if (mark === '{' || this.#isInList || this.#depth !== 2) continue
        if (!this.#isAfterKey(text.slice(begin, index))) continue
        this.#isInList = true
        this.rest += text.slice(begin, index + 1)
        this.head = this.rest
        begin = index + 1
      } else {
        const ends = this.#isInList && this.#depth === 2
        if (mark !== ',') this.#depth -= 1
        if (!ends) continue
        const item = this.#item + text.slice(begin, index)
        if (item.trim() !== '') items.push(item)
        this.#item = ''
        this.#isInList = mark === ','
        begin = this.#isInList ? index + 1 : index
      }
    }
    this.#item += text.slice(begin)
    if (this.#isInList) return items
    this.rest += this.#item
    this.#item = ''
    return items
  }

  #isAfterKey(text: string): boolean {
    const before = this.rest.slice(-this.key.length - 1) + text
    // A longer name may end alike: then a backslash stands before its quotation mark.
    return before.endsWith(`{${this.key}`) || before.endsWith(`,${this.key}`)
  }
}

/** Whether text ends within a pair that begins with a backslash. */
function endsHalf(text: string): boolean {
  let count = 0
  while (text.at(-1 - count) === '\\') count += 1
  return count % 2 === 1
}
