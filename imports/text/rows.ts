/** Rows of separated values (CSV, TSV), piece by piece: cells may be quoted and hold line breaks. */
import type { Head, Source } from '../record.js'
import { textsOf } from './decode.js'
import { Finder } from './finder.js'

/** Longest row that is waited for, in characters; a quote that never closes ends there, and a longer row is left out. */
const longestRow = 256 * 1024

/** What rows and cells end with. */
interface Marks {
  readonly quotes: Finder
  readonly lines: Finder
  readonly delimiters: Finder
}

export class RowScanner {
  #rest = ''
  #broken = 0
  /** Whether a row that is too long has not ended yet. */
  #isSkipping = false

  constructor(
    private readonly delimiter: string,
    private readonly onRow: (cells: string[]) => void
  ) {}

  /** Rows whose quotes did not close, and those that were too long. */
  get broken(): number {
    return this.#broken
  }

  write(piece: string): void {
    if (this.#isSkipping) {
      const end = piece.indexOf('\n')
      if (end < 0) return
      this.#isSkipping = false
      this.#rest = piece.slice(end + 1)
    } else this.#rest = this.#rest === '' ? piece : this.#rest + piece
    this.#rest = this.#scan(this.#rest, false)
    // What is left is one row: it has no end yet.
    if (this.#rest.length <= longestRow) return
    this.#broken++
    this.#isSkipping = true
    this.#rest = ''
  }

  end(): void {
    if (this.#rest !== '') this.#scan(this.#rest, true)
    this.#rest = ''
  }

  /** Gives out whole rows; returns the rest. */
  #scan(text: string, isEnd: boolean): string {
    let at = 0
    const marks: Marks = {
      quotes: new Finder(text, '"'),
      lines: new Finder(text, '\n'),
      delimiters: new Finder(text, this.delimiter)
    }
    while (at < text.length) {
      const lineEnd = marks.lines.from(at)
      if (lineEnd === Infinity && !isEnd) break
      const end = Math.min(lineEnd, text.length)
      if (marks.quotes.from(at) > end) {
        this.#row(
          text.slice(at, text.charCodeAt(end - 1) === 13 && end > at ? end - 1 : end).split(this.delimiter)
        )
        at = end + 1
        continue
      }
      const next = this.#quoted(text, at, isEnd, marks)
      if (next < 0) {
        if (text.length - at <= longestRow) break
        this.#broken++
        at = end + 1
      } else at = next
    }
    return text.slice(at)
  }

  #row(cells: string[]): void {
    if (cells.length > 1 || cells[0]!.trim() !== '') this.onRow(cells)
  }

  /** Reads a row with quotes; returns where the next begins, negative if this one is not whole. */
  #quoted(text: string, start: number, isEnd: boolean, { delimiters, lines }: Marks): number {
    const cells: string[] = []
    for (let at = start; ;) {
      let cell = ''
      if (text.charCodeAt(at) === 34) {
        for (;;) {
          const close = text.indexOf('"', at + 1)
          if (close < 0) {
            if (!isEnd) return -1
            this.#broken++
            return text.length
          }
          cell += text.slice(at + 1, close)
          at = close + 1
          if (text.charCodeAt(at) !== 34) break
          cell += '"'
        }
      }
      const [next, line] = [delimiters.from(at), lines.from(at)]
      const lineEnd = Math.min(line, text.length)
      if (next < lineEnd) {
        cells.push(cell + text.slice(at, next))
        at = next + 1
        continue
      }
      if (line === Infinity && !isEnd) return -1
      const last = cell + text.slice(at, lineEnd)
      cells.push(last.endsWith('\r') ? last.slice(0, -1) : last)
      this.#row(cells)
      return lineEnd + 1
    }
  }
}

/** Returns the text of a table piece by piece, with line feeds where lines end with carriage returns alone. */
export async function* tableTexts(source: Source, head: Head): AsyncGenerator<string, void, undefined> {
  const isOld = hasReturns(head.text)
  for await (const piece of textsOf(source, head)) yield isOld ? piece.replaceAll('\r', '\n') : piece
}

/** Returns whether the lines of a text end with carriage returns alone. */
export function hasReturns(text: string): boolean {
  return text.includes('\r') && !text.includes('\n')
}
