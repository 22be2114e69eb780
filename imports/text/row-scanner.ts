/** Splits delimited texts (CSV, TSV) into rows, chunk by chunk. Quoted cells may contain line breaks. */
import type { FileHead, SourceFile } from '../record.js'
import { readText } from './decode.js'
import { SubstringFinder } from './substring-finder.js'

/** Maximum length of a row, in characters. An unclosed quote ends there; longer rows are skipped. */
const maxRowLength = 256 * 1024

/** Finders of quotes, line ends and delimiters. */
interface RowFinders {
  readonly quotes: SubstringFinder
  readonly lines: SubstringFinder
  readonly delimiters: SubstringFinder
}

const noneQuoted: ReadonlySet<number> = new Set()

/** Receives the cells of a row, and the indices of those that are quoted. */
export type OnRow = (cells: string[], quoted: ReadonlySet<number>) => void

export class RowScanner {
  #buffer = ''
  #brokenCount = 0
  /** True while skipping the rest of a row that is too long, and whether what was skipped ends within quotes. */
  #isSkipping = false
  #isInQuotes = false

  /** `isStrict`: every quote closes, so that a row that is too long ends where its quotes say, and not with its first line. */
  constructor(
    private readonly delimiter: string,
    private readonly onRow: OnRow,
    private readonly isStrict = false
  ) {}

  /** Number of rows with an unclosed quote or that were too long. */
  get brokenCount(): number {
    return this.#brokenCount
  }

  /** Takes the next chunk, and emits each row that is complete. Rows that are too long count as broken. */
  write(chunk: string): void {
    if (this.#isSkipping) this.#buffer = chunk.slice(this.#skipRow(chunk, 0))
    else this.#buffer = this.#buffer === '' ? chunk : this.#buffer + chunk
    this.#buffer = this.#scan(this.#buffer, false)
    // The rest is an incomplete row.
    if (this.#buffer.length <= maxRowLength) return
    this.#brokenCount++
    this.#buffer = this.#buffer.slice(this.#skipRow(this.#buffer, 0))
  }

  /** Ends the text: emits the last row. */
  finish(): void {
    if (this.#buffer !== '') this.#scan(this.#buffer, true)
    this.#buffer = ''
  }

  /** Emits complete rows; returns the rest. */
  #scan(text: string, isLastChunk: boolean): string {
    let index = 0
    const finders: RowFinders = {
      quotes: new SubstringFinder(text, '"'),
      lines: new SubstringFinder(text, '\n'),
      delimiters: new SubstringFinder(text, this.delimiter)
    }
    while (index < text.length) {
      const lineEnd = finders.lines.findFrom(index)
      if (lineEnd === Infinity && !isLastChunk) break
      const end = Math.min(lineEnd, text.length)
      if (finders.quotes.findFrom(index) > end) {
        this.#emit(
          text
            .slice(index, text.charCodeAt(end - 1) === 13 && end > index ? end - 1 : end)
            .split(this.delimiter)
        )
        index = end + 1
        continue
      }
      const next = this.#readQuotedRow(text, index, isLastChunk, finders)
      if (next < 0) {
        if (text.length - index <= maxRowLength) break
        this.#brokenCount++
        index = this.isStrict ? this.#skipRow(text, index) : end + 1
      } else index = next
    }
    return text.slice(index)
  }

  /** Returns the index after the end of a row; that of the end of the text if the row goes on in the next chunk. */
  #skipRow(text: string, start: number): number {
    const [quotes, lines] = [new SubstringFinder(text, '"'), new SubstringFinder(text, '\n')]
    for (let index = start; ; this.#isInQuotes = !this.#isInQuotes) {
      const quote = this.isStrict ? quotes.findFrom(index) : Infinity
      const lineEnd = this.#isInQuotes ? Infinity : lines.findFrom(index)
      const end = Math.min(quote, lineEnd)
      this.#isSkipping = end === Infinity
      if (this.#isSkipping) return text.length
      if (end === lineEnd) return end + 1
      index = end + 1
    }
  }

  #emit(cells: string[], quoted = noneQuoted): void {
    if (cells.length > 1 || cells[0]!.trim() !== '') this.onRow(cells, quoted)
  }

  /** Reads a row with quotes; returns the index of the next row, negative if this one is incomplete. */
  #readQuotedRow(text: string, start: number, isEnd: boolean, { delimiters, lines }: RowFinders): number {
    const cells: string[] = []
    const quoted = new Set<number>()
    for (let index = start; ;) {
      let cell = ''
      if (text.charCodeAt(index) === 34) {
        quoted.add(cells.length)
        for (;;) {
          const closingQuote = text.indexOf('"', index + 1)
          if (closingQuote < 0) {
            if (!isEnd) return -1
            this.#brokenCount++
            return text.length
          }
          cell += text.slice(index + 1, closingQuote)
          index = closingQuote + 1
          if (text.charCodeAt(index) !== 34) break
          cell += '"'
        }
      }
      const [next, line] = [delimiters.findFrom(index), lines.findFrom(index)]
      const lineEnd = Math.min(line, text.length)
      if (next < lineEnd) {
        cells.push(cell + text.slice(index, next))
        index = next + 1
        continue
      }
      if (line === Infinity && !isEnd) return -1
      const lastCell = cell + text.slice(index, lineEnd)
      cells.push(lastCell.endsWith('\r') ? lastCell.slice(0, -1) : lastCell)
      this.#emit(cells, quoted)
      return lineEnd + 1
    }
  }
}

/** Yields the text of a table in chunks, with carriage returns as line ends replaced by line feeds. */
export async function* readTableText(
  source: SourceFile,
  head: FileHead
): AsyncGenerator<string, void, undefined> {
  const hasCarriageReturns = usesCarriageReturns(head.text)
  for await (const chunk of readText(source, head))
    yield hasCarriageReturns ? chunk.replaceAll('\r', '\n') : chunk
}

/** Returns true if the lines of a text end with carriage returns only. */
export function usesCarriageReturns(text: string): boolean {
  return text.includes('\r') && !text.includes('\n')
}
