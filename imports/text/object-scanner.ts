/** Finds the objects in long JSON texts by their braces, so that only one at a time is in memory. */
import { Unreadable } from '../record.js'

/** Maximum length of an object, in characters. */
const maxObjectLength = 4 * 1024 * 1024
/** Maximum length of a member's name, in characters. */
const maxNameLength = 1000
/** Maximum depth of nested containers around the objects. */
const maxDepth = 100

/** Called with each object of a list, the names of the members that lead to the list, and the number of frames so far. */
export type OnObject = (text: string, path: readonly string[], frameCount: number) => void

/** An object whose wanted lists are read item by item; its own text omits these items. */
interface Frame {
  readonly parts: string[]
  length: number
  /** Number of open containers at the beginning of the frame, including the frame. */
  readonly depth: number
  /** Start of its text in the current chunk; negative within a wanted list. */
  from: number
  /** Like `depth`, for the wanted list. */
  listDepth: number
}

/**
 * Scans the chunks of a JSON text for objects that are items of lists. `isWanted` selects by the path of a list whether its items
 * are emitted or searched. Top-level objects in a row, as in JSON lines, are items of the empty path. Each character is scanned
 * once, and at most one object is in memory. With `isFrame`, items that contain wanted lists are emitted as well, without these
 * lists and after their items.
 */
export class ObjectScanner {
  /** Text of the current object or name in previous chunks, and its length. */
  #parts: string[] = []
  #length = 0
  /** Start of the object or name in the current chunk. */
  #from = 0
  /** Number of open braces in the current object; 0 outside of objects. */
  #depth = 0
  #isInString = false
  /** True if the next character of a string is escaped. */
  #isEscaped = false
  /** Names that lead to the current position, with the containers that they open. */
  readonly #stack: { readonly opener: '{' | '['; name: string }[] = []
  #name = ''
  #isCutOff = false
  #skippedCount = 0
  #frame: Frame | undefined
  #frameCount = 0

  constructor(
    private readonly isWanted: (path: readonly string[]) => boolean,
    private readonly onObject: OnObject,
    private readonly isFrame: (path: readonly string[]) => boolean = () => false
  ) {}

  /** True if the text ended within a value. */
  get isCutOff(): boolean {
    return this.#isCutOff
  }

  /** Number of objects that were too large. */
  get skippedCount(): number {
    return this.#skippedCount
  }

  /**
   * Scans a chunk. Throws {@link Unreadable} if it is nested too deeply. Objects that are too large are
   * counted and skipped.
   */
  write(chunk: string): void {
    this.#from = 0
    const frame = this.#frame
    if (frame && frame.from >= 0) frame.from = 0
    for (let index = 0; index < chunk.length;) {
      if (this.#isInString) index = this.#scanString(chunk, index)
      else if (this.#depth > 0) index = this.#scanObject(chunk, index)
      else index = this.#scanOutside(chunk, index)
    }
    if (this.#depth > 0 || this.#isInString) this.#append(chunk.slice(this.#from))
    this.#appendToFrame(chunk, chunk.length)
  }

  /** Ends the text, to find out whether it was cut off. */
  finish(): void {
    this.#isCutOff = this.#stack.length > 0 || this.#depth > 0 || this.#isInString
  }

  get #path(): string[] {
    return this.#stack.filter(({ opener }) => opener === '{').map(({ name }) => name)
  }

  /** Scans to the end of a string or chunk; returns the new index. */
  #scanString(chunk: string, start: number): number {
    const end = this.#findStringEnd(chunk, start)
    this.#isInString = end < 0
    if (end >= 0 && this.#depth === 0) this.#name = this.#takeText(chunk, end - 1, maxNameLength) ?? ''
    return end < 0 ? chunk.length : end
  }

  /** Returns the index after the closing quote of the current string; negative if it is not in the chunk. */
  #findStringEnd(chunk: string, start: number): number {
    let index = start
    if (this.#isEscaped) index++
    this.#isEscaped = false
    for (let quote = chunk.indexOf('"', index); quote >= 0; quote = chunk.indexOf('"', quote + 1))
      if (countBackslashes(chunk, quote, index) % 2 === 0) return quote + 1
    this.#isEscaped = countBackslashes(chunk, chunk.length, index) % 2 === 1
    return -1
  }

  /** Scans a wanted object; returns the new index. */
  #scanObject(chunk: string, start: number): number {
    for (let index = start; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index)
      if (code === 34) {
        this.#isInString = true
        return index + 1
      }
      if (code === 123) this.#depth++
      else if (code === 125 && --this.#depth === 0) {
        const text = this.#takeText(chunk, index + 1, maxObjectLength)
        if (text === undefined) this.#skippedCount++
        else this.onObject(text, this.#path, this.#frameCount)
        return index + 1
      }
    }
    return chunk.length
  }

  /** Searches for wanted objects; returns the new index. */
  #scanOutside(chunk: string, start: number): number {
    for (let index = start; index < chunk.length; index++) {
      const character = chunk[index]!
      if (character === '{') {
        const inner = this.#stack.at(-1)
        if ((!inner || inner.opener === '[') && this.isWanted(this.#path)) {
          this.#depth = 1
          this.#from = index
          return index + 1
        }
        const isFrameStart = !this.#frame && inner?.opener === '[' && this.isFrame(this.#path)
        this.#push('{')
        if (isFrameStart) {
          this.#frameCount++
          this.#frame = { parts: [], length: 0, depth: this.#stack.length, from: index, listDepth: 0 }
        }
      } else if (character === '[') {
        this.#push('[')
        if (this.#frame) this.#pauseFrame(this.#frame, chunk, index + 1)
      } else if (character === '}' || character === ']') {
        if (this.#frame) this.#closeInFrame(this.#frame, chunk, index)
        else this.#stack.pop()
      } else if (character === '"') {
        this.#isInString = true
        this.#from = index + 1
        return index + 1
      } else if (character === ':') {
        const inner = this.#stack.at(-1)
        if (inner) inner.name = this.#name
      }
    }
    return chunk.length
  }

  #push(opener: '{' | '['): void {
    if (this.#stack.length >= maxDepth)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: maxDepth })
    this.#stack.push({ opener, name: '' })
  }

  /** Omits the items of a wanted list from the frame that contains it. */
  #pauseFrame(frame: Frame, chunk: string, end: number): void {
    if (frame.from < 0 || !this.isWanted(this.#path)) return
    this.#appendToFrame(chunk, end)
    frame.from = -1
    frame.listDepth = this.#stack.length
  }

  /** Closes the innermost container: a wanted list, the frame itself, or another container in it. */
  #closeInFrame(frame: Frame, chunk: string, index: number): void {
    const depth = this.#stack.length
    this.#stack.pop()
    if (frame.from < 0 && depth === frame.listDepth) frame.from = index
    if (depth !== frame.depth) return
    this.#appendToFrame(chunk, index + 1)
    this.#frame = undefined
    if (frame.length > maxObjectLength) this.#skippedCount++
    else this.onObject(frame.parts.join(''), this.#path, this.#frameCount)
  }

  /** Appends the chunk up to `end` to a frame, unless it is too long. */
  #appendToFrame(chunk: string, end: number): void {
    const frame = this.#frame
    if (!frame || frame.from < 0) return
    frame.length += end - frame.from
    if (frame.length <= maxObjectLength) frame.parts.push(chunk.slice(frame.from, end))
    else frame.parts.length = 0
  }

  /** Appends part of a chunk to the current object or name, unless it is too long. */
  #append(part: string): void {
    this.#length += part.length
    if (this.#length <= (this.#depth > 0 ? maxObjectLength : maxNameLength)) this.#parts.push(part)
    else this.#parts.length = 0
  }

  /** Returns the complete object or name; `undefined` if it is longer than `limit`. */
  #takeText(chunk: string, end: number, limit: number): string | undefined {
    const part = chunk.slice(this.#from, Math.max(this.#from, end))
    const length = this.#length + part.length
    const text = length > limit ? undefined : this.#parts.join('') + part
    this.#parts.length = 0
    this.#length = 0
    return text
  }
}

/** Returns the number of consecutive backslashes before an index, from `start` on. */
function countBackslashes(text: string, index: number, start: number): number {
  let count = 0
  while (index - 1 - count >= start && text.charCodeAt(index - 1 - count) === 92) count++
  return count
}

/** Parses a JSON text; returns `undefined` if it is malformed. Integers that a number cannot represent become texts, such as ids. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return /(?<![.\d])\d{16}/.test(text) ? JSON.parse(text.replaceAll(stringOrNumber, quoteInexact)) : value
  } catch {
    return undefined
  }
}

/** Matches the strings and numbers of valid JSON. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

function quoteInexact(token: string): string {
  return /^-?\d{16,}$/.test(token) && String(Number(token)) !== token ? `"${token}"` : token
}
