/** Rows of series as text: split, merged and padded, without parsing them if possible. */
import { mapInSteps, type Steps } from '../steps.js'

/** A point: its deltaTime, then a cell for each column, `null` where it has no value. */
export type Row = readonly [deltaTime: number, ...cells: unknown[]]

/** Formats a row without its brackets: `0.5,60.7`. */
function formatRow(row: Row): string {
  return JSON.stringify(row).slice(1, -1)
}

/** Formats rows as chunks store them: `[0,60.6],[0.5,60.7]`. */
export function formatRows(rows: readonly Row[]): string {
  return JSON.stringify(rows).slice(1, -1)
}

/** Joins the texts of rows as {@link formatRows} does. */
export function joinRows(texts: readonly string[]): string {
  return `[${texts.join('],[')}]`
}

/** Splits the text of a chunk into its `count` rows. */
export function splitRows(points: string, count: number): string[] {
  const text = points.slice(1, -1)
  if (count === 1) return [text]
  // A long cell may contain the separator millions of times.
  const texts = text.split('],[', count + 1)
  // More parts than rows: the separator also occurs within a cell.
  return texts.length === count ? texts : (JSON.parse(`[${points}]`) as Row[]).map(formatRow)
}

/** Parses rows as chunks store them. */
export function parseRows(text: string): Row[] {
  return parseShortNumbers(text) ?? (JSON.parse(`[${text}]`) as Row[])
}

/** Parses the deltaTime of a row's text. */
export function parseTime(text: string): number {
  return Number.parseFloat(text)
}

/**
 * Returns the index of the first text, at or after `start`, whose deltaTime is at least `time`; the number of
 * texts if there is none.
 */
export function lowerBound(texts: readonly string[], time: number, start = 0): number {
  let low = start
  let high = texts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (parseTime(texts[middle]!) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Appends empty cells for columns that were added later. */
export function padRows(texts: readonly string[], missing: number): readonly string[] {
  if (missing <= 0) return texts
  const cells = ',null'.repeat(missing)
  return texts.map(text => text + cells)
}

/** Called with a row of merged cells and the row that was stored. Throws if the row must not be written. */
export type MergeCheck = (merged: Row, stored: Row) => void

/**
 * Merges new rows of the same width into stored texts: cell by cell, if the new row has a value. Both ascend. Throws what `check`
 * throws, which is called for each row that keeps stored cells.
 */
export function mergeRows(texts: readonly string[], rows: readonly Row[], check?: MergeCheck): string[] {
  const result: string[] = []
  let next = 0
  for (const row of rows) {
    const index = lowerBound(texts, row[0], next)
    while (next < index) result.push(texts[next++]!)
    const stored = texts[index]
    if (stored !== undefined && parseTime(stored) === row[0]) {
      result.push(overwriteRow(stored, row, check))
      next++
    } else result.push(formatRow(row))
  }
  while (next < texts.length) result.push(texts[next++]!)
  return result
}

/**
 * Formats rows that have `has` cells with `width` cells: empty ones are appended, or the last ones are
 * omitted.
 */
export function fitRows(texts: readonly string[], width: number, has: number): string {
  let result = padRows(texts, width - has)
  if (width < has) result = result.map(text => formatRow(parseRow(text).slice(0, width) as unknown as Row))
  return joinRows(result)
}

/**
 * Rounds the deltaTimes of ascending rows to milliseconds, except deltaTimes less than a millisecond from the next,
 * which would become equal. `before` and `after`: deltaTimes of the points around the rows.
 * (docs/spec/series.md#reading-points)
 */
export function roundRows(texts: readonly string[], before: number, after: number): string[] {
  const times = texts.map(parseTime)
  return texts.map((text, index) =>
    isApart(times[index - 1] ?? before, times[index]!, times[index + 1] ?? after) ? roundRow(text) : text
  )
}

/** Returns whether a time is at least a millisecond from the times before and after it. */
export function isApart(before: number, time: number, after: number): boolean {
  return Math.round(Math.min(time - before, after - time) * 1e9) >= 1e6
}

/** Returns whether a deltaTime is a whole number of milliseconds. */
export function isCoarse(time: number): boolean {
  return roundTime(time, 1e3) === time
}

/** Rounds a time to a fraction of a second: with 1e3, to milliseconds. Whole seconds that are too large for that are returned as they are. */
export function roundTime(time: number, perSecond: number): number {
  return time > Number.MAX_SAFE_INTEGER ? time : Math.round(time * perSecond) / perSecond
}

function overwriteRow(text: string, row: Row, check: MergeCheck | undefined): string {
  if (row.every(cell => cell !== null)) return formatRow(row)
  const stored = parseRow(text)
  const merged = row.map((cell, index) => cell ?? stored[index] ?? null) as unknown as Row
  check?.(merged, stored)
  return formatRow(merged)
}

function parseRow(text: string): Row {
  return JSON.parse(`[${text}]`) as Row
}

function roundRow(text: string): string {
  const time = parseTime(text)
  if (isCoarse(time)) return text
  const comma = text.indexOf(',')
  return String(roundTime(time, 1e3)) + (comma < 0 ? '' : text.slice(comma))
}

const [comma, minus, dot, zero, nine, opening, closing] = Buffer.from(',-.09[]') as unknown as readonly [
  comma: number,
  minus: number,
  dot: number,
  zero: number,
  nine: number,
  opening: number,
  closing: number
]
/** Length of a number whose digits a double holds exactly, in characters without a sign. */
const maxExactLength = 15
/** Doubles hold these exactly as well, so that a division by one of them rounds once, as `JSON.parse` does. */
const powersOfTen = Array.from({ length: maxExactLength + 1 }, (_, digits) => 10 ** digits)

/**
 * Parses rows of numbers with few digits and no exponent; `undefined` if there is anything else in a row. Takes less than half as long
 * as `JSON.parse`: charts parse hundreds of thousands of rows.
 */
function parseShortNumbers(text: string): Row[] | undefined {
  // Faster than the characters of a string. Only cells that begin with a quotation mark have others.
  const bytes = Buffer.from(text, 'latin1')
  const rows: Row[] = []
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at++] !== opening) return undefined
    let time = 0
    let row: [number, ...number[]] | undefined
    for (let cell = 0, byte = comma; byte !== closing; cell++, at++) {
      if (byte !== comma) return undefined
      const isNegative = bytes[at] === minus
      if (isNegative) at++
      const start = at
      let number = 0
      let decimals = -1
      for (; ; at++) {
        byte = bytes[at]!
        if (byte >= zero && byte <= nine) number = number * 10 + (byte - zero)
        else if (byte === dot && decimals < 0) decimals = at + 1
        else break
      }
      if (at === start || at - start > maxExactLength) return undefined
      if (decimals >= 0) number /= powersOfTen[at - decimals]!
      if (isNegative) number = -number
      if (cell === 0) time = number
      else if (row) row.push(number)
      else row = [time, number]
    }
    rows.push(row ?? [time])
    if (at < bytes.length && bytes[at] !== comma) return undefined
  }
  return rows
}

/** Returns rows with their cells in the order of the layout. */
export function* arrangeRows(
  rows: readonly Row[],
  columns: readonly string[],
  layout: readonly string[]
): Steps<readonly Row[]> {
  if (columns.length === layout.length && columns.every((name, index) => name === layout[index])) return rows
  const sources = layout.map(name => columns.indexOf(name) + 1)
  return yield* mapInSteps(rows, row => [
    row[0],
    ...sources.map(source => (source === 0 ? null : (row[source] ?? null)))
  ])
}

/** Returns the index of the first row after a time; the number of rows if there is none. There must be rows. */
export function findIndexAfter(rows: readonly Row[], time: number): number {
  if (rows[0]![0] > time) return 0
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rows[middle]![0] <= time) low = middle + 1
    else high = middle
  }
  return low
}
