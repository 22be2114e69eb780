/**
 * Parses references to cells and ranges, and fills merged cells of a sheet: the first cell of a range contains the
 * value of all.
 */
import type { SourceFile } from '../record.js'
import { readHead, readText } from '../text/decode.js'
import { getAttribute, getLocalName, XmlScanner } from '../text/xml.js'

/** Columns (from 0) and rows (from 1). */
export type CellRange = readonly [left: number, top: number, right: number, bottom: number]

/** Returns the column of a reference such as `D5`, from 0; `undefined` if it has none. */
export function parseColumn(reference: string): number | undefined {
  let column = 0
  for (let index = 0; index < reference.length && index < 4; index++) {
    const letter = reference.charCodeAt(index) & ~32
    if (letter < 65 || letter > 90) break
    column = column * 26 + letter - 64
  }
  return column === 0 ? undefined : column - 1
}

/** Parses a range such as `B2:B10`; returns `undefined` for other texts. */
export function parseRange(reference: string): CellRange | undefined {
  const parts = /^([a-z]{1,3})(\d{1,7}):([a-z]{1,3})(\d{1,7})$/i.exec(reference)
  return parts
    ? [parseColumn(parts[1]!)!, Number(parts[2]), parseColumn(parts[3]!)!, Number(parts[4])]
    : undefined
}

/** Maximum number of stored ranges. */
const maxRanges = 100_000
/** Maximum length of the tag that ends the rows, in characters. */
const maxEndTagLength = 100

export class MergedRanges {
  /** Ranges by their first row. */
  readonly #ranges = new Map<number, { readonly column: number; readonly bottom: number }[]>()
  #count = 0

  /** Adds a range such as `B2:B10`; ignored if it cannot be parsed, or beyond the maximum number. */
  add(reference: string): void {
    const range = parseRange(reference)
    if (!range || ++this.#count > maxRanges) return
    const [column, top, , bottom] = range
    const ranges = this.#ranges.get(top)
    if (ranges) ranges.push({ column, bottom })
    else this.#ranges.set(top, [{ column, bottom }])
  }

  /**
   * Returns a function that receives the cells of each row in order, and fills those below the first row of
   * their range, in all columns or in some. `onUnfilled` is called for ranges that are not filled. Returns
   * `undefined` if there are no ranges.
   */
  createFiller(columns?: ReadonlySet<number | undefined>, onUnfilled?: () => void): RowFiller | undefined {
    if (this.#ranges.size === 0) return undefined
    const filled = new Map<number, { readonly top: number; readonly bottom: number; readonly text: string }>()
    return (row, rowNumber) => {
      for (const { bottom, column } of this.#ranges.get(rowNumber) ?? []) {
        const text = row[column] ?? ''
        if (text === '') continue
        if (bottom > rowNumber && (columns?.has(column) ?? true))
          filled.set(column, { top: rowNumber, bottom, text })
        else onUnfilled?.()
      }
      for (const [column, { bottom, text, top }] of filled)
        if (rowNumber > bottom) filled.delete(column)
        else if (rowNumber > top && (row[column] ?? '') === '') row[column] = text
    }
  }
}

/** Receives the cells of a row, which it may change, and the row number. */
export type RowFiller = (row: (string | undefined)[], at: number) => void

/** Reads the merged ranges of a sheet, which follow its rows. */
export async function readMerges(source: SourceFile): Promise<MergedRanges> {
  const merges = new MergedRanges()
  const scanner = new XmlScanner({
    open(name, attributes) {
      if (getLocalName(name) === 'mergeCell') merges.add(getAttribute(attributes, 'ref') ?? '')
    },
    close: () => undefined
  })
  let rest: string | undefined = ''
  for await (const chunk of readText(source, await readHead(source))) {
    if (rest === undefined) {
      scanner.write(chunk)
      continue
    }
    const text: string = rest + chunk
    const end = findRowsEnd(text)
    if (end >= 0) scanner.write(text.slice(end))
    rest = end >= 0 ? undefined : text.slice(-maxEndTagLength)
  }
  scanner.finish()
  return merges
}

/** Returns the index at which the rows of a sheet end; negative if it is not in a text. */
function findRowsEnd(text: string): number {
  for (let index = text.indexOf('sheetData'); index >= 0; index = text.indexOf('sheetData', index + 1)) {
    const before = text.slice(Math.max(0, index - maxEndTagLength), index)
    if (/<\/(?:[\w.-]{1,40}:)?$/.test(before) || /^sheetData\s*\/>/.test(text.slice(index, index + 40)))
      return index
  }
  return -1
}
