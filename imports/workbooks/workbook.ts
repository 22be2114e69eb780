/** Workbooks of Excel and other programs (.xlsx, .xlsm): each sheet is a table, with the types that its cells have. */
import { ticking } from '../pieces.js'
import type { Reason } from '../reasons.js'
import { Unreadable, type Context, type Format, type Sink, type Source } from '../record.js'
import { findLayoutIn, mostRows } from '../tables/layout.js'
import { readTables } from '../tables/read-table.js'
import type { TableReading } from '../tables/table-reading.js'
import { headOf, textsOf, wholeText } from '../text/decode.js'
import { XmlScanner } from '../text/xml.js'
import { entriesOf, shown, Taken, withXmlFiles } from '../zip.js'
import { readMerges, type Merges } from './merges.js'
import { readFormats, readPackage, scanPart, type Parts, type SheetEntry } from './package.js'
import { SharedTexts } from './shared-texts.js'
import { SheetScanner, type Shared, type SheetHandler } from './sheet-scanner.js'

export const workbook: Pick<Format, 'id' | 'name'> = { id: 'xlsx', name: 'Excel' }

/** Parts of a workbook at most: archives with more files are none. */
const mostParts = 10_000
/** Characters of the first rows of a sheet, and of its name as it is told. */
const longestBeginning = 1_000_000
const mainType = /spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroenabled\.main/i
const nothing = { leftOut: () => undefined, warn: () => undefined }

/** Whether an archive is a workbook. `size`: its bytes. */
export async function isWorkbook(path: string, size: number): Promise<boolean> {
  let count = 0
  for await (const entry of entriesOf(path, nothing, new Taken(size))) {
    if (/^\[content_types\]\.xml$/i.test(entry.name))
      return mainType.test(await wholeText(entry, await headOf(entry), 1_000_000))
    if (++count > mostParts) return false
  }
  return false
}

/** Reads all sheets of a workbook. Throws {@link Unreadable} where none of them is a table. */
export async function readWorkbook(
  path: string,
  sink: Sink,
  context: Context,
  taken: Taken,
  progress: (bytes: number) => void
): Promise<void> {
  // Told of each part that is damaged.
  let faults = 0
  const listening = {
    leftOut: (kind: string, reason: Reason) => sink.leftOut(kind, reason),
    warn: (...given: Parameters<Sink['warn']>) => {
      faults++
      sink.warn(...given)
    }
  }
  await withXmlFiles(path, listening, taken, async files => {
    const parts = new Map(
      [...files].map(([name, part]) => [
        name.toLowerCase(),
        { ...part, bytes: () => ticking(part.bytes(), progress) }
      ])
    )
    const book = await readPackage(parts)
    if (!book) throw new Unreadable('The workbook is damaged: it has no list of sheets')
    const texts = new SharedTexts()
    const textsPart = parts.get(book.texts ?? '')
    const stylesPart = parts.get(book.styles ?? '')
    const before = faults
    if (textsPart) await scanPart(textsPart, texts)
    const between = faults
    const formats = stylesPart ? await readFormats(stylesPart) : []
    // Texts and formats after a damage would be those of other cells.
    const shared = {
      texts: between > before ? new SharedTexts() : texts,
      formats: faults > between ? [] : formats,
      is1904: book.is1904,
      isStale: book.isStale
    }
    let tables = 0
    const seen = new Set<string>()
    for (const entry of book.sheets) {
      const reason = seen.has(entry.part)
        ? 'made of the bytes of another one'
        : await readSheet(entry, parts, shared, sink, context)
      if (entry.part !== '') seen.add(entry.part)
      if (reason === undefined) {
        tables++
        progress(parts.get(entry.part)?.size ?? 0)
        continue
      }
      sink.leftOut('sheet', reason)
      sink.warn('The sheet {name} is left out: it is {reason}', { name: shown(entry.name), reason })
    }
    if (tables === 0) throw new Unreadable('The workbook has no sheet with a table')
  })
}

/** Reads a sheet; returns why nothing is in it that is a table. */
async function readSheet(
  { isHidden, kind, name, part }: SheetEntry,
  parts: Parts,
  shared: Shared,
  sink: Sink,
  context: Context
): Promise<Reason | undefined> {
  if (isHidden) return 'hidden in its workbook'
  if (kind !== 'worksheet' && kind !== '') return 'without a table'
  const source = parts.get(part)
  if (!source) return 'damaged'
  const merges = await readMerges(source)
  const rows = await firstRows(source, shared, merges)
  if (rows.length === 0) return 'empty'
  const width = Math.max(...rows.map(({ length }) => length))
  const layout = findLayoutIn(rows.map(row => Array.from({ length: width }, (_cell, at) => row[at] ?? '')))
  if (!layout) return 'without a table'
  const named: Sink = {
    datum: datum => sink.datum(datum),
    leftOut: (what, reason, count, row) =>
      sink.leftOut(what, reason, count, row === undefined ? undefined : `${name}!${row}`),
    file: (...given) => sink.file(...given),
    warn: (message, values = {}) =>
      sink.warn('{name}: {message}', { name: shown(name), message: { message, values } }),
    drained: () => sink.drained()
  }
  let hasMerged = false
  const eachRow: TableReading['eachRow'] = async (wanted, told, onRow) => {
    const handler: SheetHandler = {
      row: onRow,
      leftOut: (what, reason, at) => told.leftOut(what, reason, 1, at),
      fill: merges.filler(wanted.shared, () => (hasMerged ||= wanted.isRecord()))
    }
    const scanner = new SheetScanner(shared, handler, source.size)
    const xml = new XmlScanner(scanner)
    for await (const piece of textsOf(source, await headOf(source))) {
      xml.write(piece)
      await told.drained()
      if (wanted.isEnough()) return 0
    }
    xml.end()
    scanner.end()
    return 0
  }
  await readTables({ name, sink: named, context, isPlaced: true, eachRow }, layout)
  if (hasMerged)
    named.warn(
      'Cells are merged: a date or a name counts for all of their rows, any other value for the first cell'
    )
  return undefined
}

/** The first rows of a sheet that are not empty. */
async function firstRows(source: Source, shared: Shared, merges: Merges): Promise<string[][]> {
  const rows: string[][] = []
  let size = 0
  const scanner = new SheetScanner(
    shared,
    {
      row(cells) {
        size += cells.reduce((sum, { length }) => sum + length + 1, 0)
        if (rows.length < mostRows && (size <= longestBeginning || rows.length < 2)) rows.push(cells)
      },
      leftOut: () => undefined,
      fill: merges.filler()
    },
    source.size
  )
  const xml = new XmlScanner(scanner)
  for await (const piece of textsOf(source, await headOf(source))) {
    xml.write(piece)
    if (rows.length === mostRows || size > longestBeginning) break
  }
  return rows
}
