/**
 * Parses large JSON texts in steps, yielding to other work: containers are cut into chunks between their items, which
 * `JSON.parse` reads. Accepts and returns the same as `JSON.parse`; the measures of long containers are cached.
 */
import { measureValue, refuseMeasure, refuseNesting, cacheMeasure, type Measure } from './depth.js'
import { setMember } from './json-text.js'
import type { Steps } from '../../storage/steps.js'

/** Approximate number of characters that one step reads. */
const chunkSize = 64 * 1024
/** Texts up to this size are read at once. */
const smallSize = 2 * chunkSize

export interface JsonLimits {
  readonly jsonDepth: number
  readonly jsonKeys: number
}

/** Returns whether text should be read in steps. */
export function isLargeJson(text: string): boolean {
  return text.length > smallSize
}

/**
 * Returns the value of a JSON text. Throws `SyntaxError` for invalid JSON. Values that are longer than `stepSize` (in
 * characters) are also checked against `limits`, since large ones would slow down all further processing: throws
 * `invalid-parameters-format` if they are nested too deep, or an object has too many keys.
 */
export function* readJson(text: string, limits: JsonLimits, stepSize = chunkSize): Steps<unknown> {
  const reader = new Reader(text, limits, stepSize)
  const value = yield* reader.readValue(reader.skipBlanks(0), 1)
  if (reader.skipBlanks(reader.position) < text.length)
    throw new SyntaxError('Unexpected content after the value')
  return value
}

/** The range of a value in text. */
export interface TextRange {
  readonly from: number
  /** Behind its last character. */
  readonly to: number
}

/**
 * Finds the value of a member in the text of an object written by `JSON.stringify`; the first of that name, `undefined` if there is none.
 */
export function findMember(text: string, name: string): TextRange | undefined {
  return new Reader(text, unlimited, Infinity).findMember(name)
}

/** Returns a function that finds the end of the value that begins at a position, in text written by the service. */
export function createValueEndFinder(text: string): (from: number) => number {
  const reader = new Reader(text, unlimited, Infinity)
  return from => reader.findEnd(from)
}

/** Limits for JSON written by the service: it was within the limits when it was written. */
export const unlimited: JsonLimits = { jsonDepth: Infinity, jsonKeys: Infinity }

/** Number of characters scanned one by one after an escaped one, before searching for the next quotation mark. */
const stepsPerSearch = 16

class Reader {
  /** End of the text read so far. */
  position = 0
  /** The last string longer than a step: each container around it is scanned up to its end. */
  #longString = { from: -1, to: -1 }

  constructor(
    private readonly text: string,
    private readonly limits: JsonLimits,
    private readonly stepSize: number
  ) {}

  /** Returns the value that begins at a position, and moves the position to its end. Refuses values nested too deep. */
  *readValue(start: number, depth: number): Steps<unknown> {
    const end = this.#findValueEnd(start)
    if (end !== undefined) {
      this.position = end
      return JSON.parse(this.text.slice(start, end)) as unknown
    }
    if (depth > this.limits.jsonDepth) refuseNesting(this.limits.jsonDepth)
    return this.text[start] === '['
      ? yield* this.#readArray(start, depth)
      : yield* this.#readObject(start, depth)
  }

  /** Finds the value of a member whose name is written as `JSON.stringify` writes it. */
  findMember(name: string): TextRange | undefined {
    const { text } = this
    const key = `${JSON.stringify(name)}:`
    for (let position = 1; text.charCodeAt(position) === quote;) {
      const from = this.#findMemberBounds(position).value
      const to = this.#findValueEnd(from)!
      if (text.startsWith(key, position)) return { from, to }
      position = to + 1
    }
    return undefined
  }

  /** Returns where a value ends, however long it is. */
  findEnd(start: number): number {
    return this.#findValueEnd(start)!
  }

  /** Reads an array: short items in groups by `JSON.parse`, long ones in steps. */
  *#readArray(start: number, depth: number): Steps<unknown[]> {
    const items: unknown[] = []
    const total = new Total()
    const take = (chunk: string): void => {
      const values = JSON.parse(`[${chunk}]`) as unknown[]
      total.add(measureValue(values))
      items.push(...values)
    }
    const takeLong = function* (this: Reader, position: number): Steps<void> {
      const value = yield* this.readValue(position, depth + 1)
      total.add(measureValue([value]))
      items.push(value)
    }
    yield* this.#readItems(start, ']', position => this.#findValueEnd(position), take, takeLong.bind(this))
    cacheMeasure(items, total, this.position - start)
    return items
  }

  /** Reads an object: short members in groups by `JSON.parse`, long ones in steps. Refuses too many keys. */
  *#readObject(start: number, depth: number): Steps<object> {
    const result: Record<string, unknown> = {}
    const { jsonKeys } = this.limits
    const total = new Total()
    let keys = 0
    const put = (key: string, value: unknown): void => {
      if (++keys > jsonKeys)
        refuseMeasure('OBJECT_PROPERTIES_MAXIMUM', `An object has more than ${jsonKeys} keys`)
      setMember(result, key, value)
    }
    const take = (chunk: string): void => {
      const members = JSON.parse(`{${chunk}}`) as object
      total.add(measureValue(members))
      for (const [key, value] of Object.entries(members)) put(key, value)
    }
    const takeLong = function* (this: Reader, position: number): Steps<void> {
      const { end, value } = this.#findMemberBounds(position)
      const key = JSON.parse(this.text.slice(position, end)) as string
      const long = yield* this.readValue(value, depth + 1)
      total.add(measureValue([long]))
      put(key, long)
    }
    yield* this.#readItems(
      start,
      '}',
      position => this.#findValueEnd(this.#findMemberBounds(position).value),
      take,
      takeLong.bind(this)
    )
    cacheMeasure(result, total, this.position - start)
    return result
  }

  /**
   * Reads the items of a long container. `findEnd` returns where the item at a position ends, unless it is long; `take` receives
   * several short ones with the commas between them, `takeLong` a long one.
   */
  *#readItems(
    start: number,
    closing: ']' | '}',
    findEnd: (position: number) => number | undefined,
    take: (chunk: string) => void,
    takeLong: (position: number) => Steps<void>
  ): Steps<void> {
    let position = this.skipBlanks(start + 1)
    let chunk = { from: position, to: position }
    const flush = (next: number): void => {
      if (chunk.to > chunk.from) take(this.text.slice(chunk.from, chunk.to))
      chunk = { from: next, to: next }
    }
    let isLast = this.text[position] === closing
    if (isLast) this.position = position + 1
    while (!isLast) {
      const end = findEnd(position)
      if (end === undefined) {
        flush(position)
        yield
        yield* takeLong(position)
      } else chunk.to = this.position = end
      isLast = this.#skipSeparator(closing)
      position = isLast ? this.position : this.skipBlanks(this.position)
      if (end === undefined) chunk = { from: position, to: position }
      else if (isLast || end - chunk.from > this.stepSize) {
        flush(position)
        yield
      }
    }
  }

  skipBlanks(position: number): number {
    while (isBlank(this.text.charCodeAt(position))) position++
    return position
  }

  /** Moves past the comma or closing bracket that has to follow an item; returns whether it was the latter. */
  #skipSeparator(closing: string): boolean {
    const position = this.skipBlanks(this.position)
    const found = this.text[position]
    if (found !== ',' && found !== closing) throw new SyntaxError('Missing comma between items')
    this.position = position + 1
    return found === closing
  }

  /** Returns where the name of a member ends, and where its value begins. */
  #findMemberBounds(start: number): { end: number; value: number } {
    if (this.text[start] !== '"') throw new SyntaxError('Missing member name')
    const end = this.#findStringEnd(start)
    const colon = this.skipBlanks(end)
    if (this.text[colon] !== ':') throw new SyntaxError('Missing colon after a name')
    return { end, value: this.skipBlanks(colon + 1) }
  }

  /**
   * Returns where the value that begins at a position ends; `undefined` for a container that is long. Throws
   * `SyntaxError` if there is none.
   */
  #findValueEnd(start: number): number | undefined {
    const { text } = this
    const end = start + this.stepSize
    let depth = 0
    for (let position = start; position < text.length; position++) {
      switch (text.charCodeAt(position)) {
        case quote:
          position = this.#findStringEnd(position) - 1
          if (depth === 0) return position + 1
          break
        case openBracket:
        case openBrace:
          depth++
          break
        case closeBracket:
        case closeBrace:
          if (depth <= 1) return depth === 0 ? assertAdvances(position, start) : position + 1
          depth--
          break
        case comma:
          if (depth === 0) return assertAdvances(position, start)
          break
      }
      if (position > end && depth > 0) return undefined
    }
    if (depth > 0) throw new SyntaxError('Unexpected end within a value')
    return assertAdvances(text.length, start)
  }

  #findStringEnd(start: number): number {
    if (start === this.#longString.from) return this.#longString.to
    const to = this.#scanStringEnd(start)
    if (to - start > this.stepSize) this.#longString = { from: start, to }
    return to
  }

  /** Returns the position after the string that starts at `start`. Throws `SyntaxError` if it does not end. */
  #scanStringEnd(start: number): number {
    const { text } = this
    for (let position = start + 1; ; position++) {
      // Escaped characters are often close together, and a search takes as long as dozens of steps.
      for (let end = position + stepsPerSearch; position < end && position > start + 1; position++) {
        const code = text.charCodeAt(position)
        if (code === quote) return position + 1
        if (code === backslash) end = ++position + stepsPerSearch
      }
      position = text.indexOf('"', position)
      if (position < 0) throw new SyntaxError('Unexpected end within a string')
      let before = position - 1
      while (text.charCodeAt(before) === backslash) before--
      if ((position - before) % 2 === 1) return position + 1
    }
  }
}

/** The measure of a container, summed up from its parts, each of which is a container with some of the items. */
class Total implements Measure {
  depth = 1
  containers = 1
  hasFinite = true

  add({ containers, depth, hasFinite }: Measure): void {
    this.depth = Math.max(this.depth, depth)
    this.containers += containers - 1
    this.hasFinite &&= hasFinite
  }
}

function assertAdvances(end: number, start: number): number {
  if (end === start) throw new SyntaxError('No value')
  return end
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

const [quote, comma, backslash] = [34, 44, 92]
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125]
