/** Unfolds iCalendar's content lines and parses them into name, parameters and value. (RFC 5545, 3.1) */
import { isUtf8 } from 'node:buffer'
import type { FileHead, SourceFile } from '../../record.js'
import { readBytesAsText, isUtf16, readText } from '../../text/decode.js'

/** Maximum length of a line, in characters. The rest of a longer line is dropped, as happens with embedded pictures. */
const maxLineLength = 100_000

export interface ContentLine {
  /** In upper case. */
  readonly name: string
  /** By name in upper case. */
  readonly parameters: ReadonlyMap<string, string>
  /** The value as written in the file. */
  readonly value: string
  /** Length in characters. */
  readonly length: number
  /** True if the line was truncated. */
  readonly isTruncated: boolean
}

/** Returns the chunks of a text whose lines may be folded within a character, and the function that decodes an unfolded line. */
export function readFoldedText(
  source: SourceFile,
  head: FileHead
): { readonly chunks: AsyncIterable<string>; readonly decode: (line: string) => string } {
  if (isUtf16(head)) return { chunks: readText(source, head), decode: line => line }
  return { chunks: readBytesAsText(source), decode: decodeLine }
}

function decodeLine(line: string): string {
  const bytes = Buffer.from(line, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes)
}

/** Splits the chunks of a text into lines and unfolds them. */
export class LineScanner {
  #line = ''
  #isTruncated = false
  /** True if the next character begins a line of the file. */
  #isAtStart = true
  #hasLine = false

  constructor(
    private readonly decode: (line: string) => string,
    private readonly onLine: (line: ContentLine) => void
  ) {}

  /** Takes the next chunk, and emits each line that is complete. */
  write(chunk: string): void {
    let at = 0
    while (at < chunk.length) {
      const code = chunk.charCodeAt(at)
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
        this.#endLine()
      }
      const end = findLineEnd(chunk, at)
      this.#append(chunk.slice(at, end))
      at = end
    }
  }

  /** Ends the text: emits the last line. */
  end(): void {
    this.#endLine()
  }

  #append(text: string): void {
    this.#hasLine = true
    const available = maxLineLength - this.#line.length
    if (text.length > available) this.#isTruncated = true
    this.#line += text.slice(0, available)
  }

  #endLine(): void {
    if (this.#hasLine) {
      const parsed = parseLine(this.decode(this.#line), this.#isTruncated)
      if (parsed) this.onLine(parsed)
    }
    this.#line = ''
    this.#hasLine = this.#isTruncated = false
  }
}

function findLineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) return at
  }
  return text.length
}

const parameterPattern = /;([\w-]+)=((?:"[^"]*"|[^":;])*)/y

/** Parses an unfolded line; returns `undefined` if it is malformed. */
function parseLine(line: string, isTruncated: boolean): ContentLine | undefined {
  const start = /^\uFEFF?([\w.-]+)/.exec(line)
  if (!start) return undefined
  const parameters = new Map<string, string>()
  let at = start[0].length
  while (line[at] === ';') {
    // Some apps write long texts into a parameter.
    parameterPattern.lastIndex = at
    const parameter = parameterPattern.exec(line)
    if (!parameter) break
    parameters.set(parameter[1]!.toUpperCase(), parameter[2]!.replaceAll('"', ''))
    at += parameter[0].length
  }
  // If a line is truncated within its parameters, its name is still counted.
  if (line[at] !== ':' && !isTruncated) return undefined
  // Some apps put a group before the name.
  const name = start[1]!.slice(start[1]!.lastIndexOf('.') + 1).toUpperCase()
  return { name, parameters, value: line.slice(at + 1), length: line.length, isTruncated }
}

/** Returns a text without its escapes. */
export function unescapeText(value: string): string {
  return value.replaceAll(/\\([\\;,nN])/g, (_, character: string) =>
    /n/i.test(character) ? '\n' : character
  )
}

/** Returns the items of a list. Their escaped commas do not separate. */
export function splitList(value: string): string[] {
  return (value.match(/(?:\\.|[^,\\])+/g) ?? []).map(each => unescapeText(each).trim()).filter(Boolean)
}
