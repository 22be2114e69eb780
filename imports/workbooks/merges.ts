/** Cells of a sheet that are merged: the first of them holds what all of them show. */
import type { Source } from '../record.js'
import { headOf, textsOf } from '../text/decode.js'
import { attribute, localName, XmlScanner } from '../text/xml.js'
import { rangeIn } from './references.js'

/** Ranges that are kept. */
const mostRanges = 100_000
/** Characters of the longest tag that ends the rows. */
const longestEnd = 100

export class Merges {
  /** By their first rows. */
  readonly #ranges = new Map<number, { readonly column: number; readonly bottom: number }[]>()
  #count = 0

  add(reference: string): void {
    const range = rangeIn(reference)
    if (!range || ++this.#count > mostRanges) return
    const [column, top, , bottom] = range
    const ranges = this.#ranges.get(top)
    if (ranges) ranges.push({ column, bottom })
    else this.#ranges.set(top, [{ column, bottom }])
  }

  /**
   * Returns a function that takes the cells of one row after the other, and fills those below the first of their range, in all columns
   * or in some. `told` is called for ranges that are not filled.
   */
  filler(columns?: ReadonlySet<number | undefined>, told?: () => void): RowFiller | undefined {
    if (this.#ranges.size === 0) return undefined
    const filled = new Map<number, { readonly top: number; readonly bottom: number; readonly text: string }>()
    return (row, at) => {
      for (const { bottom, column } of this.#ranges.get(at) ?? []) {
        const text = row[column] ?? ''
        if (text === '') continue
        if (bottom > at && (columns?.has(column) ?? true)) filled.set(column, { top: at, bottom, text })
        else told?.()
      }
      for (const [column, { bottom, text, top }] of filled)
        if (at > bottom) filled.delete(column)
        else if (at > top && (row[column] ?? '') === '') row[column] = text
    }
  }
}

/** Takes the cells of a row, which it may change, and the number of the row. */
export type RowFiller = (row: (string | undefined)[], at: number) => void

/** Reads which cells of a sheet are merged, which stands below its rows. */
export async function readMerges(source: Source): Promise<Merges> {
  const merges = new Merges()
  const scanner = new XmlScanner({
    open(name, attributes) {
      if (localName(name) === 'mergeCell') merges.add(attribute(attributes, 'ref') ?? '')
    },
    close: () => undefined
  })
  let rest: string | undefined = ''
  for await (const piece of textsOf(source, await headOf(source))) {
    if (rest === undefined) {
      scanner.write(piece)
      continue
    }
    const text: string = rest + piece
    const end = endOfRows(text)
    if (end >= 0) scanner.write(text.slice(end))
    rest = end >= 0 ? undefined : text.slice(-longestEnd)
  }
  scanner.end()
  return merges
}

/** Where the rows of a sheet end; negative if that does not stand in a text. */
function endOfRows(text: string): number {
  for (let at = text.indexOf('sheetData'); at >= 0; at = text.indexOf('sheetData', at + 1)) {
    const before = text.slice(Math.max(0, at - longestEnd), at)
    if (/<\/(?:[\w.-]{1,40}:)?$/.test(before) || /^sheetData\s*\/>/.test(text.slice(at, at + 40))) return at
  }
  return -1
}
