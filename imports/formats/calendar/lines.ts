/** Content lines of iCalendar: unfolded, and taken apart into a name, parameters and a value. (RFC 5545, 3.1) */
import { isUtf8 } from 'node:buffer'
import type { Head, Source } from '../../record.js'
import { bytePieces, isUtf16, textsOf } from '../../text/decode.js'

/** Characters of a line; the rest is not kept, as that of pictures. */
const longestLine = 100_000

export interface ContentLine {
  /** In capitals. */
  readonly name: string
  /** By names in capitals. */
  readonly parameters: ReadonlyMap<string, string>
  /** As written. */
  readonly value: string
  /** Characters in all. */
  readonly length: number
  /** Whether it has been cut. */
  readonly isCut: boolean
}

/** Returns pieces of a text in which lines may be folded within a character, and what makes their characters. */
export function foldedTextsOf(
  source: Source,
  head: Head
): { readonly pieces: AsyncIterable<string>; readonly decode: (line: string) => string } {
  if (isUtf16(head)) return { pieces: textsOf(source, head), decode: line => line }
  return { pieces: bytePieces(source), decode: decodeLine }
}

function decodeLine(line: string): string {
  const bytes = Buffer.from(line, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes)
}

/** Scans pieces of a text for lines, which it unfolds. */
export class LineScanner {
  #line = ''
  #isCut = false
  /** Whether the next character begins a line of the file. */
  #isAtStart = true
  #hasLine = false

  constructor(
    private readonly decode: (line: string) => string,
    private readonly onLine: (line: ContentLine) => void
  ) {}

  write(piece: string): void {
    let at = 0
    while (at < piece.length) {
      const code = piece.charCodeAt(at)
      if (code === 10 || code === 13) {
        this.#isAtStart = true
        at++
        continue
      }
      if (this.#isAtStart) {
        this.#isAtStart = false
        if (code === 32 || code === 9) {
          at++
          continue
        }
        this.#give()
      }
      const end = lineEnd(piece, at)
      this.#add(piece.slice(at, end))
      at = end
    }
  }

  end(): void {
    this.#give()
  }

  #add(text: string): void {
    this.#hasLine = true
    const room = longestLine - this.#line.length
    if (text.length > room) this.#isCut = true
    this.#line += text.slice(0, room)
  }

  #give(): void {
    if (this.#hasLine) {
      const parsed = parseLine(this.decode(this.#line), this.#isCut)
      if (parsed) this.onLine(parsed)
    }
    this.#line = ''
    this.#hasLine = this.#isCut = false
  }
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) return at
  }
  return text.length
}

const parameterPattern = /;([\w-]+)=((?:"[^"]*"|[^":;])*)/y

function parseLine(line: string, isCut: boolean): ContentLine | undefined {
  const start = /^\uFEFF?([\w.-]+)/.exec(line)
  if (!start) return undefined
  const parameters = new Map<string, string>()
  let at = start[0].length
  while (line[at] === ';') {
    // Some programs write whole texts into one.
    parameterPattern.lastIndex = at
    const parameter = parameterPattern.exec(line)
    if (!parameter) break
    parameters.set(parameter[1]!.toUpperCase(), parameter[2]!.replaceAll('"', ''))
    at += parameter[0].length
  }
  // Of one that is cut within its parameters, the name tells what is missing.
  if (line[at] !== ':' && !isCut) return undefined
  // Some programs put a group before the name.
  const name = start[1]!.slice(start[1]!.lastIndexOf('.') + 1).toUpperCase()
  return { name, parameters, value: line.slice(at + 1), length: line.length, isCut }
}

/** Returns a text without its escapes. */
export function unescapeText(value: string): string {
  return value.replaceAll(/\\([\\;,nN])/g, (_, character: string) =>
    /n/i.test(character) ? '\n' : character
  )
}

/** Returns the texts of a list, whose commas are not escaped. */
export function listOf(value: string): string[] {
  return (value.match(/(?:\\.|[^,\\])+/g) ?? []).map(each => unescapeText(each).trim()).filter(Boolean)
}
