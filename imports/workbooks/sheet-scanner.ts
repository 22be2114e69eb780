/** Takes the XML of a sheet, and gives out its rows as tables have them. */
import type { Reason } from '../reasons.js'
import type { Numbers } from '../text/survey.js'
import { attribute, localName, type XmlHandler } from '../text/xml.js'
import type { RowFiller } from './merges.js'
import type { NumberFormat } from './number-formats.js'
import { numberText, type NumberText } from './numbers.js'
import { columnIn, rangeIn, type Range } from './references.js'
import type { SharedTexts } from './shared-texts.js'
import { TextParts } from './text-parts.js'

/** Columns of a table, and rows of a sheet. */
const mostColumns = 2000
const mostRows = 1_048_576
/** Characters of a row. */
const longestRow = 256 * 1024
/** Empty cells before others, in all rows of a sheet. */
const mostGaps = 100_000_000
/** Characters from which a text is long. Cells refer to as many as ten times the bytes of their sheet, or to 16 million. */
const longText = 100
const mostLong = 16 * 1024 * 1024
/** Ranges that were computed together which are kept. */
const mostRanges = 1000

/** What cells refer to. */
export interface Shared {
  readonly texts: SharedTexts
  readonly formats: readonly NumberFormat[]
  readonly is1904: boolean
  /** Whether what formulas have computed is to be computed again. */
  readonly isStale: boolean
}

export interface SheetHandler {
  /** A row that is not empty. `numbers` tells which of its cells are numbers, written with a point before their decimals. */
  row(cells: string[], at: number, numbers: Numbers): void
  leftOut(kind: 'cell' | 'row', reason: Reason, at: number): void
  readonly fill?: RowFiller | undefined
}

interface Cell {
  readonly column: number
  readonly type: string
  /** Place of its format. */
  readonly style: number
  readonly parts: TextParts
  hasFormula: boolean
}

/** Rows and cells as most programs write them: without formulas and texts of their own. */
const usualRow = /<row r="(\d{1,7})"(?: [^<>/]{0,300})?>/y
const usualCell =
  /<c r="([A-Z]{1,3})\d{1,7}"(?: s="(\d{1,6})")?(?: t="([a-z]{1,3})")?(?:\/>|><v>([^<&]{0,100})<\/v><\/c>)/y
const rowEnd = '</row>'

export class SheetScanner implements XmlHandler {
  #isInside = false
  #at = 0
  #column = -1
  #row: (string | undefined)[] | undefined
  #numbers: (boolean | undefined)[] = []
  /** Times that are shown without the day that they have. */
  #clocks: { readonly column: number; readonly day: string; readonly text: string }[] = []
  #size = 0
  #cell: Cell | undefined
  #gaps = mostGaps
  /** Characters of long texts that may still be referred to: the file has them once. */
  #room: number
  /** Cells of formulas that stand in their first cell alone. */
  readonly #ranges: Range[] = []

  constructor(
    private readonly shared: Shared,
    private readonly handler: SheetHandler,
    /** Bytes of the sheet. */
    size: number
  ) {
    this.#room = Math.max(mostLong, size * 10)
  }

  /** Takes cells as a whole, and the tags of rows: sheets have millions of these. */
  take(text: string, start: number): number {
    let end = start
    while (this.#isInside && !this.#cell) {
      const pattern = this.#row ? usualCell : usualRow
      pattern.lastIndex = end
      const parts = pattern.exec(text)
      if (!parts) {
        if (!this.#row || !text.startsWith(rowEnd, end)) break
        this.#closeRow()
        end += rowEnd.length
        continue
      }
      end = pattern.lastIndex
      if (pattern === usualRow) this.#openRow(Number(parts[1]))
      else this.#takeCell(parts)
    }
    return end
  }

  #takeCell([, reference, style, type = 'n', value]: RegExpExecArray): void {
    const column = columnIn(reference!)!
    this.#column = column
    if (value !== undefined) this.#put(column, this.#value(value, false, column, Number(style ?? 0), type))
  }

  open(name: string, attributes: string): void {
    const local = localName(name)
    const cell = this.#cell
    if (cell) {
      if (local === 'f') this.#openFormula(cell, attributes)
      cell.parts.open(local)
    } else if (local === 'c') {
      if (this.#row) this.#openCell(attributes)
    } else if (local === 'row') {
      if (this.#isInside) this.#openRow(Number(attribute(attributes, 'r') ?? NaN))
    } else if (local === 'sheetData') this.#isInside = true
  }

  close(name: string): void {
    const local = localName(name)
    if (local === 'c') this.#closeCell()
    else if (local === 'row') this.#closeRow()
    else if (local === 'sheetData') this.#isInside = false
    else this.#cell?.parts.close(local)
  }

  text(text: string): void {
    this.#cell?.parts.add(text)
  }

  /** Tells of a row that has no end. */
  end(): void {
    if (this.#row) this.handler.leftOut('row', 'torn: its end is missing', this.#at)
    this.#row = undefined
  }

  #openRow(at: number): void {
    this.end()
    this.#at = Number.isInteger(at) && at > 0 ? at : this.#at + 1
    this.#column = -1
    this.#row = []
    this.#numbers = []
    if (this.#clocks.length > 0) this.#clocks = []
    this.#size = 0
    this.#cell = undefined
  }

  #openCell(attributes: string): void {
    const reference = attribute(attributes, 'r')
    this.#column = (reference === undefined ? undefined : columnIn(reference)) ?? this.#column + 1
    this.#cell = {
      column: this.#column,
      type: attribute(attributes, 't') ?? 'n',
      style: Number(attribute(attributes, 's') ?? 0),
      parts: new TextParts(),
      hasFormula: false
    }
  }

  #openFormula(cell: Cell, attributes: string): void {
    cell.hasFormula = true
    const range = this.shared.isStale ? rangeIn(attribute(attributes, 'ref') ?? '') : undefined
    if (range && this.#ranges.length < mostRanges) this.#ranges.push(range)
  }

  #closeCell(): void {
    const cell = this.#cell
    this.#cell = undefined
    if (!cell || !this.#row) return
    const { column, hasFormula, parts, style, type } = cell
    const found = parts.isTooLong
      ? 'larger than a record can be'
      : this.#value(parts.text, hasFormula, column, style, type)
    this.#put(column, found)
  }

  #put(column: number, found: NumberText | Reason): void {
    const row = this.#row!
    if (typeof found !== 'string' && found.text.trim() === '') return
    const reason =
      typeof found === 'string'
        ? found
        : column >= mostColumns
          ? 'beyond the columns that a table may have'
          : row[column] === undefined
            ? undefined
            : 'in the file more than once'
    if (reason !== undefined) this.handler.leftOut('cell', reason, this.#at)
    else if (typeof found !== 'string') {
      row[column] = found.text
      if (found.isNumber) this.#numbers[column] = true
      if (found.clock) this.#clocks.push({ column, ...found.clock })
      this.#size += found.text.length
    }
  }

  #closeRow(): void {
    const row = this.#row
    this.#row = undefined
    if (!row || row.length === 0) return
    const reason = this.#faultOf(row)
    if (reason !== undefined) {
      this.handler.leftOut('row', reason, this.#at)
      return
    }
    this.handler.fill?.(row, this.#at)
    for (let at = 0; at < row.length; at++) row[at] ??= ''
    // Beside its own day, a time of the day is no more than that.
    for (const { column, day, text } of this.#clocks)
      if (row.includes(day) || row.includes(`${day} 00:00:00`)) row[column] = text
    this.handler.row(row as string[], this.#at, this.#numbers)
  }

  #faultOf(row: readonly unknown[]): Reason | undefined {
    if (this.#at > mostRows) return 'damaged'
    if (this.#size > longestRow) return 'larger than a record can be'
    this.#gaps -= row.length
    return this.#gaps < 0 ? 'packed suspiciously tightly' : undefined
  }

  /** What a cell holds, or why that is not known. */
  #value(
    text: string,
    hasFormula: boolean,
    column: number,
    style: number,
    type: string
  ): NumberText | Reason {
    if (hasFormula || this.#ranges.length > 0) {
      const isComputed = hasFormula || this.#ranges.some(range => this.#isIn(range, column))
      if (isComputed && (this.shared.isStale || (text === '' && type !== 'str')))
        return 'a formula whose value has not been saved'
    }
    if (text === '') return { text }
    if (type === 'n') {
      if (text.trim() === '') return { text: '' }
      const value = Number(text)
      const format = this.shared.formats[style] ?? (style === 0 ? {} : undefined)
      if (!format || !Number.isFinite(value)) return 'damaged'
      return format.isUnclear
        ? 'in a unit without a type here'
        : numberText(value, format, this.shared.is1904)
    }
    if (type === 's') return this.#shared(Number(text))
    if (type === 'e') return 'an error of the spreadsheet'
    if (type === 'b') return { text: /^\s*(?:1|true)\s*$/i.test(text) ? 'TRUE' : 'FALSE' }
    return { text: type === 'd' ? text.replace(/^T/, '') : text }
  }

  #isIn([left, top, right, bottom]: Range, column: number): boolean {
    return column >= left && column <= right && this.#at >= top && this.#at <= bottom
  }

  #shared(index: number): NumberText | Reason {
    const found = this.shared.texts.get(index)
    if (found === 'too long') return 'larger than a record can be'
    if (found === 'beyond') return 'beyond the texts that a workbook may have'
    if (found === 'missing') return 'damaged'
    const { length } = found.text
    if (length > longText && (this.#room -= length) < 0) return 'packed suspiciously tightly'
    return found
  }
}
