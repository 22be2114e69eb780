/** Lines of CSV (RFC 4180) that are safe to open in a spreadsheet. */
import { measureJson, plainForm, writeJson, type JsonLengths } from '../json/writer.js'
import type { Steps } from '../../storage/steps.js'
import { cutText, chunkSize, type Chunks } from './chunks.js'

/** The byte order mark by which spreadsheets know UTF-8. */
export const byteOrderMark = '\ufeff'

export type CsvCell = string | number | boolean

/** Formats a line of cells; `null` is a quoted empty cell. */
export function formatLine(cells: readonly (CsvCell | null)[]): string {
  let line = ''
  for (let at = 0; at < cells.length; at++) line += (at === 0 ? '' : ',') + formatCell(cells[at]!)
  return `${line}\r\n`
}

/**
 * Writes a line in chunks. `room`: the total characters that its cells may have; a cell that exceeds what remains is
 * replaced by a note. Objects and lists are written as JSON, in steps. (docs/api/exports.md#tables)
 */
export function* writeLine(values: Iterable<unknown>, room = Infinity): Chunks {
  const lengths: JsonLengths = new Map()
  let line = ''
  let separator = ''
  for (const value of values) {
    line += separator
    separator = ','
    const isContainer = typeof value === 'object' && value !== null
    let cell = isContainer ? '' : toCell(value)
    let size = typeof cell === 'string' ? cell.length : 0
    if (isContainer) {
      size = yield* runSteps(measureJson(value, lengths))
      if (size <= room) yield* runSteps(writeJson(value, plainForm, chunk => (cell += chunk)))
    }
    if (size > room) line += `[${size} characters omitted]`
    else if (size <= chunkSize) line += formatCell(cell)
    else {
      yield line
      yield* writeLongCell(cell as string)
      line = ''
    }
    if (size <= room) room -= size
    if (line.length < chunkSize) continue
    yield line
    line = ''
  }
  yield `${line}\r\n`
}

/** Runs steps that write nothing, and returns their result. */
export function* runSteps<T>(steps: Steps<T>): Generator<string, T, undefined> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield ''
  }
}

function* writeLongCell(text: string): Chunks {
  const quote = specialCharacter.test(text) ? '"' : ''
  yield quote + (formulaStart.test(text) ? "'" : '')
  for (const chunk of cutText(text)) yield escapeCell(chunk)
  yield quote
}

function escapeCell(text: string): string {
  return text.replace(/["\0]/g, character => (character === '"' ? '""' : '\ufffd'))
}

/**
 * Formats a cell. Text that a spreadsheet would treat as a formula is prefixed with an apostrophe; numbers never are.
 * Text with semicolons or tabs is quoted too: some programs end a cell at them, and the remainder could be a formula. So is text that
 * looks like a number, `true` or `false`, which imports tell apart in this way.
 */
function formatCell(value: CsvCell | null): string {
  if (value === null) return '""'
  if (typeof value !== 'string') return String(value)
  if (value === '' || plainCell.test(value)) return isScalar(value) ? `"${value}"` : value
  const text = formulaStart.test(value) ? `'${value}` : value
  if (specialCharacter.test(text)) return `"${escapeCell(text)}"`
  return text.includes('\0') ? escapeCell(text) : text
}

/** Returns whether a text is what a number or a boolean would be written as. */
function isScalar(text: string): boolean {
  return scalar.test(text) && (text === 'true' || text === 'false' || String(Number(text)) === text)
}

const scalar = /^(?:true|false|\d[\d.e+-]*)$/
/** Matches most cells, which need no quoting. */
const plainCell = /^[\w .:/][\w .:/+-]{0,80}$/
const specialCharacter = /[",\r\n;\t]/
/** Text that already begins with apostrophes gets one more, so that reading can remove it. */
const formulaStart = /^'*[=+\-@\t\r\n＝＋－＠]/

/** Converts any value to a cell: objects and lists as JSON, `null` as empty text. */
export function toCell(value: unknown): CsvCell {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  return JSON.stringify(value)
}
