/** Finds the objects of long JSON texts by their braces, so that only one at a time is in memory. */
import { Unreadable } from '../record.js'

/** Longest object that is read, in characters. */
const longest = 4 * 1024 * 1024
/** Longest name of a member that is told. */
const longestName = 1000
/** Deepest nesting around the objects that are read. */
const deepest = 100

/** Called with each object of a list, the names of the members that lead to the list, and how many frames have begun. */
export type OnObject = (text: string, path: readonly string[], frames: number) => void

/** An object whose wanted lists are given out item by item: its text without these items. */
interface Frame {
  readonly parts: string[]
  length: number
  /** Members and lists that are open where it begins, itself included. */
  readonly depth: number
  /** Where in the present piece what is kept begins; negative within a wanted list. */
  from: number
  /** As `depth`, of the wanted list. */
  listDepth: number
}

/**
 * Scans pieces of a JSON text for the objects that are items of lists. `isWanted` decides by the path of a list whether its items
 * are given out or looked into. Objects in a row, as in JSON lines, are items too, of the path without names. Each character is
 * looked at once, and no more than one object is kept. With `isFrame`, items of its lists that hold wanted lists are given out, too,
 * after the items of these, which they come without.
 */
export class ObjectScanner {
  /** What the pieces before the present one hold of the object or name that is being read, and how long it is. */
  #kept: string[] = []
  #length = 0
  /** Where it begins in the present piece. */
  #from = 0
  /** Braces that are open in the object that is being read; 0 outside of objects. */
  #depth = 0
  #isInString = false
  /** Whether the next character within a string is escaped. */
  #isEscaped = false
  /** Names that lead to where reading is, with what they lead into. */
  readonly #stack: { readonly opener: '{' | '['; name: string }[] = []
  #name = ''
  #isCutOff = false
  #skipped = 0
  #frame: Frame | undefined
  #frames = 0

  constructor(
    private readonly isWanted: (path: readonly string[]) => boolean,
    private readonly onObject: OnObject,
    private readonly isFrame: (path: readonly string[]) => boolean = () => false
  ) {}

  /** Whether the text ended within something. */
  get isCutOff(): boolean {
    return this.#isCutOff
  }

  /** Objects that were too large. */
  get skipped(): number {
    return this.#skipped
  }

  /** Throws {@link Unreadable} for what is nested too deeply. */
  write(piece: string): void {
    this.#from = 0
    const frame = this.#frame
    if (frame && frame.from >= 0) frame.from = 0
    for (let at = 0; at < piece.length;) {
      if (this.#isInString) at = this.#inString(piece, at)
      else if (this.#depth > 0) at = this.#inObject(piece, at)
      else at = this.#around(piece, at)
    }
    if (this.#depth > 0 || this.#isInString) this.#keep(piece.slice(this.#from))
    this.#keepFrame(piece, piece.length)
  }

  end(): void {
    this.#isCutOff = this.#stack.length > 0 || this.#depth > 0 || this.#isInString
  }

  get #path(): string[] {
    return this.#stack.filter(({ opener }) => opener === '{').map(({ name }) => name)
  }

  /** Reads to the end of a string, or of the piece; returns where it is. */
  #inString(piece: string, start: number): number {
    const end = this.#stringEnd(piece, start)
    this.#isInString = end < 0
    if (end >= 0 && this.#depth === 0) this.#name = this.#taken(piece, end - 1, longestName) ?? ''
    return end < 0 ? piece.length : end
  }

  /** Index after the quote that ends the present string; negative if it is not in the piece. */
  #stringEnd(piece: string, start: number): number {
    let at = start
    if (this.#isEscaped) at++
    this.#isEscaped = false
    for (let quote = piece.indexOf('"', at); quote >= 0; quote = piece.indexOf('"', quote + 1))
      if (slashesBefore(piece, quote, at) % 2 === 0) return quote + 1
    this.#isEscaped = slashesBefore(piece, piece.length, at) % 2 === 1
    return -1
  }

  /** Reads on in an object that is wanted. */
  #inObject(piece: string, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (code === 34) {
        this.#isInString = true
        return at + 1
      }
      if (code === 123) this.#depth++
      else if (code === 125 && --this.#depth === 0) {
        const text = this.#taken(piece, at + 1, longest)
        if (text === undefined) this.#skipped++
        else this.onObject(text, this.#path, this.#frames)
        return at + 1
      }
    }
    return piece.length
  }

  /** Looks for objects that are wanted. */
  #around(piece: string, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const character = piece[at]!
      if (character === '{') {
        const inner = this.#stack.at(-1)
        if ((!inner || inner.opener === '[') && this.isWanted(this.#path)) {
          this.#depth = 1
          this.#from = at
          return at + 1
        }
        const begins = !this.#frame && inner?.opener === '[' && this.isFrame(this.#path)
        this.#push('{')
        if (begins) {
          this.#frames++
          this.#frame = { parts: [], length: 0, depth: this.#stack.length, from: at, listDepth: 0 }
        }
      } else if (character === '[') {
        this.#push('[')
        if (this.#frame) this.#pauseFrame(this.#frame, piece, at + 1)
      } else if (character === '}' || character === ']') {
        if (this.#frame) this.#closeIn(this.#frame, piece, at)
        else this.#stack.pop()
      } else if (character === '"') {
        this.#isInString = true
        this.#from = at + 1
        return at + 1
      } else if (character === ':') {
        const inner = this.#stack.at(-1)
        if (inner) inner.name = this.#name
      }
    }
    return piece.length
  }

  #push(opener: '{' | '['): void {
    if (this.#stack.length >= deepest)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: deepest })
    this.#stack.push({ opener, name: '' })
  }

  /** Leaves the items of a wanted list out of the frame around it. */
  #pauseFrame(frame: Frame, piece: string, end: number): void {
    if (frame.from < 0 || !this.isWanted(this.#path)) return
    this.#keepFrame(piece, end)
    frame.from = -1
    frame.listDepth = this.#stack.length
  }

  /** Closes what was opened last: a wanted list, the frame itself, or something else in it. */
  #closeIn(frame: Frame, piece: string, at: number): void {
    const depth = this.#stack.length
    this.#stack.pop()
    if (frame.from < 0 && depth === frame.listDepth) frame.from = at
    if (depth !== frame.depth) return
    this.#keepFrame(piece, at + 1)
    this.#frame = undefined
    if (frame.length > longest) this.#skipped++
    else this.onObject(frame.parts.join(''), this.#path, this.#frames)
  }

  /** Keeps what a piece holds of a frame, up to `end`; nothing of one that is too long. */
  #keepFrame(piece: string, end: number): void {
    const frame = this.#frame
    if (!frame || frame.from < 0) return
    frame.length += end - frame.from
    if (frame.length <= longest) frame.parts.push(piece.slice(frame.from, end))
    else frame.parts.length = 0
  }

  /** Keeps what a piece holds of what is being read; nothing of what is too long. */
  #keep(part: string): void {
    this.#length += part.length
    if (this.#length <= (this.#depth > 0 ? longest : longestName)) this.#kept.push(part)
    else this.#kept.length = 0
  }

  /** What has been read whole; `undefined` if it is longer than that. */
  #taken(piece: string, end: number, limit: number): string | undefined {
    const part = piece.slice(this.#from, Math.max(this.#from, end))
    const length = this.#length + part.length
    const text = length > limit ? undefined : this.#kept.join('') + part
    this.#kept.length = 0
    this.#length = 0
    return text
  }
}

/** Backslashes in a row that end before an index, of those from `start` on. */
function slashesBefore(text: string, index: number, start: number): number {
  let count = 0
  while (index - 1 - count >= start && text.charCodeAt(index - 1 - count) === 92) count++
  return count
}

/** The value of a JSON text; `undefined` if it is malformed. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
