/** Scans the XML of a sheet and emits its rows. */
import type { SkipReason } from '../skip-reasons.js'
import type { NumberFlags } from '../text/notation-detector.js'
import { getAttribute, getLocalName, type XmlHandler } from '../text/xml.js'
import { type CellRange, parseColumn, parseRange, type RowFiller } from './ranges.js'
import type { NumberFormat } from './number-formats.js'
import { formatNumber, type NumberText } from './numbers.js'
import { type SharedTexts, TextRuns } from './texts.js'

const maxColumns = 2000
/** Maximum number of rows of a sheet, empty ones included, as in Excel. The rest of the sheet is not read. */
export const maxRows = 1_048_576
/** Maximum length of a row, in characters. */
const maxRowLength = 256 * 1024
/** Maximum number of empty cells before others, in all rows of a sheet. */
const maxGaps = 100_000_000
/**
 * Length in characters above which a text is long, and the minimum budget of references to long texts: ten times the bytes of the
 * sheet, or 16 million characters.
 */
const minLongText = 100
const minLongTextBudget = 16 * 1024 * 1024
/** Maximum number of stored array formula ranges. */
const maxRanges = 1000

/** Data to which cells refer. */
export interface SharedData {
  readonly texts: SharedTexts
  readonly formats: readonly NumberFormat[]
  readonly is1904: boolean
  /** True if the saved results of formulas are out of date. */
  readonly isStale: boolean
}

export interface SheetHandler {
  /** Called with each row that is not empty. `numbers` marks cells that are numbers with a decimal point. */
  onRow(cells: string[], at: number, numbers: NumberFlags): void
  /** Called for a cell or row that cannot be read. `at`: number of the row, from 1. */
  skip(kind: 'cell' | 'row', reason: SkipReason, at: number): void
  readonly fill?: RowFiller | undefined
}

interface OpenCell {
  readonly column: number
  readonly type: string
  /** Index of its format. */
  readonly style: number
  readonly parts: TextRuns
  hasFormula: boolean
}

/** Rows and cells as most apps write them: without formulas and inline texts. */
const usualRow = /<row r="(\d{1,7})"(?: [^<>/]{0,300})?>/y
const usualCell =
  /<c r="([A-Z]{1,3})\d{1,7}"(?: s="(\d{1,6})")?(?: t="([a-z]{1,3})")?(?:\/>|><v>([^<&]{0,100})<\/v><\/c>)/y
const rowEnd = '</row>'

export class SheetScanner implements XmlHandler {
  #isInside = false
  #rowNumber = 0
  #rowCount = 0
  #column = -1
  #cells: (string | undefined)[] | undefined
  #numbers: (boolean | undefined)[] = []
  /** Times displayed without their date. */
  #clocks: { readonly column: number; readonly day: string; readonly text: string }[] = []
  #size = 0
  #cell: OpenCell | undefined
  #gaps = maxGaps
  /** Remaining budget of references to long texts, in characters: the file contains each text only once. */
  #longTextBudget: number
  /** Ranges of formulas that are written only in their first cell. */
  readonly #ranges: CellRange[] = []

  constructor(
    private readonly shared: SharedData,
    private readonly handler: SheetHandler,
    /** Size of the sheet in bytes. */
    size: number
  ) {
    this.#longTextBudget = Math.max(minLongTextBudget, size * 10)
  }

  /** True once the sheet has more rows than it may. */
  get isDone(): boolean {
    return this.#rowCount > maxRows
  }

  /** Reads whole cells and the tags of rows at once: sheets have millions of these. */
  readElements(text: string, start: number): number {
    let end = start
    while (this.#isInside && !this.#cell) {
      const pattern = this.#cells ? usualCell : usualRow
      pattern.lastIndex = end
      const parts = pattern.exec(text)
      if (!parts) {
        if (!this.#cells || !text.startsWith(rowEnd, end)) break
        this.#closeRow()
        end += rowEnd.length
        continue
      }
      end = pattern.lastIndex
      if (pattern === usualRow) this.#openRow(Number(parts[1]))
      else this.#addUsualCell(parts)
    }
    return end
  }

  #addUsualCell([, reference, style, type = 'n', value]: RegExpExecArray): void {
    const column = parseColumn(reference!)!
    this.#column = column
    if (value !== undefined)
      this.#setCell(column, this.#parseValue(value, false, column, Number(style ?? 0), type))
  }

  open(name: string, attributes: string): void {
    const local = getLocalName(name)
    const cell = this.#cell
    if (cell) {
      if (local === 'f') this.#openFormula(cell, attributes)
      cell.parts.open(local)
    } else if (local === 'c') {
      if (this.#cells) this.#openCell(attributes)
    } else if (local === 'row') {
      if (this.#isInside) this.#openRow(Number(getAttribute(attributes, 'r') ?? NaN))
    } else if (local === 'sheetData') this.#isInside = !this.isDone
  }

  close(name: string): void {
    const local = getLocalName(name)
    if (local === 'c') this.#closeCell()
    else if (local === 'row') this.#closeRow()
    else if (local === 'sheetData') this.#isInside = false
    else this.#cell?.parts.close(local)
  }

  text(text: string): void {
    this.#cell?.parts.add(text)
  }

  /** Reports a row without an end. */
  finish(): void {
    if (this.#cells) this.handler.skip('row', 'torn: its end is missing', this.#rowNumber)
    this.#cells = undefined
  }

  /** Ends the row before, and starts one. Without a valid number it follows the row before. */
  #openRow(rowNumber: number): void {
    this.finish()
    this.#rowCount++
    this.#cell = undefined
    if (this.isDone) {
      this.#isInside = false
      return
    }
    this.#rowNumber = Number.isInteger(rowNumber) && rowNumber > 0 ? rowNumber : this.#rowNumber + 1
    this.#column = -1
    this.#cells = []
    this.#numbers = []
    if (this.#clocks.length > 0) this.#clocks = []
    this.#size = 0
  }

  #openCell(attributes: string): void {
    const reference = getAttribute(attributes, 'r')
    this.#column = (reference === undefined ? undefined : parseColumn(reference)) ?? this.#column + 1
    this.#cell = {
      column: this.#column,
      type: getAttribute(attributes, 't') ?? 'n',
      style: Number(getAttribute(attributes, 's') ?? 0),
      parts: new TextRuns(),
      hasFormula: false
    }
  }

  #openFormula(cell: OpenCell, attributes: string): void {
    cell.hasFormula = true
    const range = this.shared.isStale ? parseRange(getAttribute(attributes, 'ref') ?? '') : undefined
    if (range && this.#ranges.length < maxRanges) this.#ranges.push(range)
  }

  #closeCell(): void {
    const cell = this.#cell
    this.#cell = undefined
    if (!cell || !this.#cells) return
    const { column, hasFormula, parts, style, type } = cell
    const result = parts.isTooLong
      ? 'larger than a record can be'
      : this.#parseValue(parts.text, hasFormula, column, style, type)
    this.#setCell(column, result)
  }

  /** Stores a cell of the current row, or reports why it is skipped. */
  #setCell(column: number, found: NumberText | SkipReason): void {
    const row = this.#cells!
    if (typeof found !== 'string' && found.text.trim() === '') return
    const reason =
      typeof found === 'string'
        ? found
        : column >= maxColumns
          ? 'beyond the columns that a table may have'
          : row[column] === undefined
            ? undefined
            : 'in the file more than once'
    if (reason !== undefined) this.handler.skip('cell', reason, this.#rowNumber)
    else if (typeof found !== 'string') {
      // The texts of a row that is too long are not kept in memory.
      row[column] = this.#size > maxRowLength ? '' : found.text
      if (found.isNumber) this.#numbers[column] = true
      if (found.clock) this.#clocks.push({ column, ...found.clock })
      this.#size += found.text.length
    }
  }

  /** Ends the current row, and passes it on; empty rows are omitted. */
  #closeRow(): void {
    const row = this.#cells
    this.#cells = undefined
    if (!row || row.length === 0) return
    const reason = this.#findSkipReason(row)
    if (reason !== undefined) {
      this.handler.skip('row', reason, this.#rowNumber)
      return
    }
    this.handler.fill?.(row, this.#rowNumber)
    for (let index = 0; index < row.length; index++) row[index] ??= ''
    // If the row also contains the date, only the time of day is needed.
    for (const { column, day, text } of this.#clocks)
      if (row.includes(day) || row.includes(`${day} 00:00:00`)) row[column] = text
    this.handler.onRow(row as string[], this.#rowNumber, this.#numbers)
  }

  #findSkipReason(row: readonly unknown[]): SkipReason | undefined {
    if (this.#rowNumber > maxRows) return 'damaged'
    if (this.#size > maxRowLength) return 'larger than a record can be'
    this.#gaps -= row.length
    return this.#gaps < 0 ? 'packed suspiciously tightly' : undefined
  }

  /** Returns the value of a cell, or the reason to skip it. */
  #parseValue(
    text: string,
    hasFormula: boolean,
    column: number,
    style: number,
    type: string
  ): NumberText | SkipReason {
    if (hasFormula || this.#ranges.length > 0) {
      const isComputed = hasFormula || this.#ranges.some(range => this.#isInRange(range, column))
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
        : formatNumber(value, format, this.shared.is1904)
    }
    if (type === 's') return this.#getSharedText(Number(text))
    if (type === 'e') return 'an error of the spreadsheet'
    if (type === 'b') return { text: /^\s*(?:1|true)\s*$/i.test(text) ? 'TRUE' : 'FALSE' }
    return { text: type === 'd' ? text.replace(/^T/, '') : text }
  }

  #isInRange([left, top, right, bottom]: CellRange, column: number): boolean {
    return column >= left && column <= right && this.#rowNumber >= top && this.#rowNumber <= bottom
  }

  #getSharedText(index: number): NumberText | SkipReason {
    const found = this.shared.texts.get(index)
    if (found === 'too long') return 'larger than a record can be'
    if (found === 'beyond') return 'beyond the texts that a workbook may have'
    if (found === 'missing') return 'damaged'
    const { length } = found.text
    if (length > minLongText && (this.#longTextBudget -= length) < 0) return 'packed suspiciously tightly'
    return found
  }
}
