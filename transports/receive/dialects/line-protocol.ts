/** Parses the line protocol of InfluxDB, character by character. (https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol) */

export type FieldValue = number | boolean | string

/** A point of a measurement. */
export interface Line {
  readonly measurement: string
  readonly tags: readonly (readonly [name: string, value: string])[]
  readonly fields: readonly (readonly [name: string, value: FieldValue])[]
  /** An integer in the unit of the request's precision; `undefined` if the line has none. */
  readonly timestamp: string | undefined
}

const [newline, space, comma, equals, backslash, quote, hash] = '\n ,=\\"#'
const maxTags = 100

/** Thrown for a line that is malformed. */
export class InvalidLine extends Error {
  constructor(
    readonly line: number,
    reason: string
  ) {
    super(`Line ${line}: ${reason}`)
    this.name = 'InvalidLine'
  }
}

/**
 * Yields the lines of a text, without empty lines and comments. Throws {@link InvalidLine}. It is thrown when
 * that line is read.
 */
export function* parseLines(text: string): Generator<Line> {
  const parser = new LineParser(text.replaceAll('\r\n', '\n'))
  while (!parser.isAtEnd) {
    const line = parser.parseLine()
    if (line) yield line
  }
}

class LineParser {
  #at = 0
  #line = 0

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.#at >= this.text.length
  }

  /** Parses the next line; `undefined` for an empty line or a comment. Throws {@link InvalidLine}. */
  parseLine(): Line | undefined {
    this.#line++
    this.#skipSpaces()
    if (this.#peek() === hash) {
      const end = this.text.indexOf('\n', this.#at)
      this.#at = end < 0 ? this.text.length : end + 1
      return undefined
    }
    if (this.#atLineEnd()) {
      this.#at++
      return undefined
    }
    const measurement = this.#parseName(', ')
    if (measurement === '') this.#fail('the measurement is missing')
    const tags = this.#parseTags()
    this.#skipSpaces()
    const fields = this.#parseFields()
    this.#skipSpaces()
    const timestamp = this.#parseTimestamp()
    this.#skipSpaces()
    if (!this.#atLineEnd()) this.#fail('the end of the line is expected')
    this.#at++
    return { measurement, tags, fields, timestamp }
  }

  /** Parses the tags after the measurement. Refuses the line if they are incomplete or too many. */
  #parseTags(): [string, string][] {
    const tags: [string, string][] = []
    while (this.#peek() === comma) {
      this.#at++
      const name = this.#parseName(', =')
      if (name === '' || this.#peek() !== equals) this.#fail('a tag needs a name and a value')
      this.#at++
      const value = this.#parseName(', =')
      if (value === '') this.#fail('a tag needs a name and a value')
      if (tags.length >= maxTags) this.#fail(`a line may have ${maxTags} tags`)
      tags.push([name, value])
    }
    return tags
  }

  #parseFields(): [string, FieldValue][] {
    const fields: [string, FieldValue][] = []
    for (;;) {
      const name = this.#parseName(', =')
      if (name === '' || this.#peek() !== equals) this.#fail('a field needs a name and a value')
      this.#at++
      fields.push([name, this.#peek() === quote ? this.#parseText() : this.#parseValue()])
      if (this.#peek() !== comma) return fields
      this.#at++
    }
  }

  /** Parses a name up to one of these characters. */
  #parseName(ends: string): string {
    let name = ''
    let start = this.#at
    for (; !this.#atLineEnd(); this.#at++) {
      const character = this.text[this.#at]!
      const next = this.text[this.#at + 1]
      if (character === backslash && next !== undefined && ', =\\'.includes(next)) {
        name += this.text.slice(start, this.#at)
        start = ++this.#at
      } else if (ends.includes(character)) break
    }
    return name + this.text.slice(start, this.#at)
  }

  /** Returns the text in quotes at the current position, and moves behind it. Fails if it has no end. */
  #parseText(): string {
    let value = ''
    let start = ++this.#at
    for (; this.#at < this.text.length; this.#at++) {
      const character = this.text[this.#at]
      const next = this.text[this.#at + 1]
      if (character === backslash && (next === quote || next === backslash)) {
        value += this.text.slice(start, this.#at)
        start = ++this.#at
      } else if (character === quote) {
        value += this.text.slice(start, this.#at++)
        return value
      } else if (character === newline) this.#line++
    }
    return this.#fail('a text has no end')
  }

  #parseValue(): FieldValue {
    const start = this.#at
    while (!this.#atLineEnd() && this.#peek() !== comma && this.#peek() !== space) this.#at++
    const text = this.text.slice(start, this.#at)
    if (/^(?:t|true)$/i.test(text)) return true
    if (/^(?:f|false)$/i.test(text)) return false
    const isInteger = /^-?\d{1,20}[iu]$/.test(text)
    const isNumber = text.length <= 400 && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,4})?$/i.test(text)
    const value = isInteger ? Number(text.slice(0, -1)) : isNumber ? Number(text) : NaN
    return Number.isFinite(value) ? value : this.#fail('the value of a field is invalid')
  }

  #parseTimestamp(): string | undefined {
    const start = this.#at
    while (!this.#atLineEnd() && this.#peek() !== space) this.#at++
    const text = this.text.slice(start, this.#at)
    if (text === '') return undefined
    return /^-?\d{1,19}$/.test(text) ? text : this.#fail('the timestamp is invalid')
  }

  #peek(): string | undefined {
    return this.text[this.#at]
  }

  #atLineEnd(): boolean {
    const character = this.text[this.#at]
    return character === undefined || character === newline
  }

  #skipSpaces(): void {
    while (this.text[this.#at] === space) this.#at++
  }

  #fail(reason: string): never {
    throw new InvalidLine(this.#line, reason)
  }
}
