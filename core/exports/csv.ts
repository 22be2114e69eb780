/** Lines of CSV (RFC 4180) that are safe to open in a spreadsheet. */
import { jsonLength, plainForm, writeJson, type JsonLengths } from '../json/writer.js'
import type { Steps } from '../../storage/steps.js'
import { cutText, pieceSize, type Pieces } from './pieces.js'

/** The byte order mark by which spreadsheets know UTF-8. */
export const byteOrderMark = '\ufeff'

export type Cell = string | number | boolean

/** A line of cells. */
export function lineOf(cells: readonly Cell[]): string {
  let line = ''
  for (let at = 0; at < cells.length; at++) line += (at === 0 ? '' : ',') + cellOf(cells[at]!)
  return `${line}\r\n`
}

/**
 * Writes a line in pieces. `room`: characters that its cells may have together; a cell that exceeds what is left of them is
 * replaced by a note. Objects and lists are written as JSON, in steps. (docs/api/exports.md#tables)
 */
export function* writeLine(values: Iterable<unknown>, room = Infinity): Pieces {
  const lengths: JsonLengths = new Map()
  let line = ''
  let separator = ''
  for (const value of values) {
    line += separator
    separator = ','
    const isContainer = typeof value === 'object' && value !== null
    let cell = isContainer ? '' : rawOf(value)
    let size = typeof cell === 'string' ? cell.length : 0
    if (isContainer) {
      size = yield* idle(jsonLength(value, lengths))
      if (size <= room) yield* idle(writeJson(value, plainForm, piece => (cell += piece)))
    }
    if (size > room) line += `[${size} characters left out]`
    else if (size <= pieceSize) line += cellOf(cell)
    else {
      yield line
      yield* longCell(cell as string)
      line = ''
    }
    if (size <= room) room -= size
    if (line.length < pieceSize) continue
    yield line
    line = ''
  }
  yield `${line}\r\n`
}

/** Runs steps that write nothing, and returns their result. */
export function* idle<T>(steps: Steps<T>): Generator<string, T, undefined> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield ''
  }
}

function* longCell(text: string): Pieces {
  const quote = special.test(text) ? '"' : ''
  yield quote + (formula.test(text) ? "'" : '')
  for (const piece of cutText(text)) yield escapeCell(piece)
  yield quote
}

function escapeCell(text: string): string {
  return text.replace(/["\0]/g, character => (character === '"' ? '""' : '\ufffd'))
}

/**
 * A cell. Texts that a spreadsheet would take for a formula get an apostrophe in front; numbers never do. Semicolons and tabs are
 * put between quotation marks, too: some programs end a cell at them, and what follows could be a formula.
 */
export function cellOf(value: Cell): string {
  if (typeof value !== 'string') return String(value)
  if (value === '' || isPlain.test(value)) return value
  const text = formula.test(value) ? `'${value}` : value
  if (special.test(text)) return `"${escapeCell(text)}"`
  return text.includes('\0') ? escapeCell(text) : text
}

/** What most cells are. */
const isPlain = /^[\w .:/][\w .:/+-]{0,80}$/
const special = /[",\r\n;\t]/
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** Any value as a cell: objects and lists as JSON, nothing as an empty text. */
export function rawOf(value: unknown): Cell {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  return JSON.stringify(value)
}
