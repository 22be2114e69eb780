/** Parses a long JSON list incrementally, without keeping the whole list in memory. */

/** Tokens: escape sequences; delimiters of strings, arrays and objects; commas. */
const tokens = /\\.|["[\]{},]/gs

/**
 * Yields the items of the array in the member `name` of a JSON object, each parsed by itself. `onHead`
 * receives the text before the first item, which ends with the opening bracket of the array. Throws a
 * `SyntaxError` if the text ends early. It is thrown while reading, after the items that are complete.
 */
export async function* parseItems<T>(
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
  /** The text outside the list. */
  rest = ''
  /** The text before the list. */
  head = ''
  /** The incomplete item. */
  #item = ''
  /** A trailing backslash whose escaped character is in the next chunk. */
  #escape = ''
  /** Number of open arrays and objects; 2 within the list. */
  #depth = 0
  #isInString = false
  #isInList = false

  /** `key`: the text before the list. */
  constructor(private readonly key: string) {}

  /** Returns the items that end in the next chunk of text. */
  take(chunk: string): string[] {
    const items: string[] = []
    const input = this.#escape + chunk
    // The incomplete item never ends within an escape sequence. Scanning or copying it again for each chunk would take quadratic
    // time.
    this.#escape = endsInEscape(input) ? '\\' : ''
    const text = input.slice(0, input.length - this.#escape.length)
    let begin = 0
    tokens.lastIndex = 0
    for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
      const { 0: token, index } = found
      if (token === '"') this.#isInString = !this.#isInString
      else if (this.#isInString) continue
      else if (token === '[' || token === '{') {
        this.#depth += 1
        if (token === '{' || this.#isInList || this.#depth !== 2) continue
        if (!this.#isAfterKey(text.slice(begin, index))) continue
        this.#isInList = true
        this.rest += text.slice(begin, index + 1)
        this.head = this.rest
        begin = index + 1
      } else {
        const ends = this.#isInList && this.#depth === 2
        if (token !== ',') this.#depth -= 1
        if (!ends) continue
        const item = this.#item + text.slice(begin, index)
        if (item.trim() !== '') items.push(item)
        this.#item = ''
        this.#isInList = token === ','
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
    // The end of a longer name may match: then a backslash precedes its quotation mark.
    return before.endsWith(`{${this.key}`) || before.endsWith(`,${this.key}`)
  }
}

/** Returns whether text ends within an escape sequence. */
function endsInEscape(text: string): boolean {
  let count = 0
  while (text.at(-1 - count) === '\\') count += 1
  return count % 2 === 1
}
