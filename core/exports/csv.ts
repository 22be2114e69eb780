/** Lines of CSV (RFC 4180) that are safe to open in a spreadsheet. */

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
 * A cell. Texts that a spreadsheet would take for a formula get an apostrophe in front; numbers never do. Semicolons and tabs are
 * put between quotation marks, too: some programs end a cell at them, and what follows could be a formula.
 */
export function cellOf(value: Cell): string {
  if (typeof value !== 'string') return String(value)
  if (isPlain.test(value)) return value
  let text = value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  if (formula.test(text)) text = `'${text}`
  return /[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What most cells are. */
const isPlain = /^[\w .:/][\w .:/+-]{0,80}$/
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** Any value as a cell: objects and lists as JSON, nothing as an empty text. */
export function rawOf(value: unknown): Cell {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  return JSON.stringify(value)
}
