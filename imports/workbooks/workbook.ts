/** Reads workbooks of Excel and other apps (.xlsx, .xlsm): each sheet is a table whose cells have types. */
import { withProgress } from '../read-chunks.js'
import type { SkipReason } from '../skip-reasons.js'
import {
  silentSink,
  Unreadable,
  type ReadContext,
  type Format,
  type Sink,
  type SourceFile
} from '../record.js'
import { findRowLayout, maxSampleRows } from '../tables/table-layout.js'
import { readTables } from '../tables/read-table.js'
import type { TableSource } from '../tables/table-source.js'
import { readHead, readWholeText } from '../text/decode.js'
import { readZipEntries, formatFileName, ReadBudget, useXmlFiles } from '../zip.js'
import { readMerges, type MergedRanges } from './ranges.js'
import { readFormats, readStructure, scanXmlFile, type WorkbookFiles, type SheetEntry } from './structure.js'
import { SharedTexts } from './texts.js'
import { maxRows, SheetScanner, type SharedData, type SheetHandler } from './sheet-scanner.js'

export const excelFormat: Pick<Format, 'id' | 'name'> = { id: 'xlsx', name: 'Excel' }

/** Maximum number of files of a workbook; archives with more are not workbooks. */
const maxFiles = 10_000
/** Maximum length of the first rows of a sheet, in characters. */
const maxBeginningLength = 1_000_000
const mainType = /spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroenabled\.main/i
/**
 * Returns true if an archive is a workbook. `size` is the size of the archive in bytes. Only the first files
 * are searched for what tells it.
 */
export async function isWorkbook(path: string, size: number): Promise<boolean> {
  let count = 0
  for await (const entry of readZipEntries(path, silentSink, new ReadBudget(size))) {
    if (/^\[content_types\]\.xml$/i.test(entry.name))
      return mainType.test(await readWholeText(entry, await readHead(entry), 1_000_000))
    if (++count > maxFiles) return false
  }
  return false
}

/**
 * Reads all sheets of a workbook. Throws {@link Unreadable} if none of them contains a table. Other sheets
 * are skipped with a warning. Throws {@link Unreadable} also if the list of sheets is missing.
 */
export async function readWorkbook(
  path: string,
  sink: Sink,
  context: ReadContext,
  readBytes: ReadBudget,
  progress: (bytes: number) => void
): Promise<void> {
  // Counts damaged files.
  let damageCount = 0
  const observer = {
    skip: (kind: string, reason: SkipReason) => sink.skip(kind, reason),
    warn: (...args: Parameters<Sink['warn']>) => {
      damageCount++
      sink.warn(...args)
    }
  }
  await useXmlFiles(path, observer, readBytes, async files => {
    const parts = new Map(
      [...files].map(([name, part]) => [
        name.toLowerCase(),
        { ...part, bytes: () => withProgress(part.bytes(), progress) }
      ])
    )
    const structure = await readStructure(parts)
    if (!structure) throw new Unreadable('The workbook is damaged: it has no list of sheets')
    const texts = new SharedTexts()
    const textsPart = parts.get(structure.texts ?? '')
    const stylesPart = parts.get(structure.styles ?? '')
    const damageBeforeTexts = damageCount
    if (textsPart) await scanXmlFile(textsPart, texts)
    const damageAfterTexts = damageCount
    const formats = stylesPart ? await readFormats(stylesPart) : []
    // Texts and formats after damage would be assigned to the wrong cells.
    const shared = {
      texts: damageAfterTexts > damageBeforeTexts ? new SharedTexts() : texts,
      formats: damageCount > damageAfterTexts ? [] : formats,
      is1904: structure.is1904,
      isStale: structure.isStale
    }
    let tables = 0
    const readFiles = new Set<string>()
    for (const entry of structure.sheets) {
      const reason = readFiles.has(entry.part)
        ? 'made of the bytes of another one'
        : await readSheet(entry, parts, shared, sink, context)
      if (entry.part !== '') readFiles.add(entry.part)
      if (reason === undefined) {
        tables++
        progress(parts.get(entry.part)?.size ?? 0)
        continue
      }
      sink.skip('sheet', reason)
      sink.warn('The sheet {name} is left out: it is {reason}', { name: formatFileName(entry.name), reason })
    }
    if (tables === 0) throw new Unreadable('The workbook has no sheet with a table')
  })
}

/** Reads a sheet; returns the reason if it contains no table. Returns `undefined` if it was read. */
async function readSheet(
  { isHidden, kind, name, part }: SheetEntry,
  parts: WorkbookFiles,
  shared: SharedData,
  sink: Sink,
  context: ReadContext
): Promise<SkipReason | undefined> {
  if (isHidden) return 'hidden in its workbook'
  if (kind !== 'worksheet' && kind !== '') return 'without a table'
  const source = parts.get(part)
  if (!source) return 'damaged'
  const merges = await readMerges(source)
  const rows = await readFirstRows(source, shared, merges)
  if (rows.length === 0) return 'empty'
  const width = Math.max(...rows.map(({ length }) => length))
  const layout = findRowLayout(
    rows.map(row => Array.from({ length: width }, (_cell, index) => row[index] ?? ''))
  )
  if (!layout) return 'without a table'
  const namedSink: Sink = {
    addRecord: record => sink.addRecord(record),
    skip: (recordKind, reason, count, row) =>
      sink.skip(recordKind, reason, count, row === undefined ? undefined : `${name}!${row}`),
    addFile: (...args) => sink.addFile(...args),
    warn: (message, values = {}) =>
      sink.warn('{name}: {message}', { name: formatFileName(name), message: { message, values } })
  }
  let hasMerged = false
  let isCut = false
  const readRows: TableSource['readRows'] = async (selection, tableSink, onRow) => {
    const handler: SheetHandler = {
      onRow,
      skip: (what, reason, at) => tableSink.skip(what, reason, 1, at),
      fill: merges.createFiller(selection.sharedColumns, () => (hasMerged ||= selection.isRecord()))
    }
    const scanner = new SheetScanner(shared, handler, source.size)
    await scanXmlFile(source, scanner, selection.isEnough)
    if (!selection.isEnough()) scanner.finish()
    isCut ||= scanner.isDone
    return 0
  }
  await readTables({ name, sink: namedSink, context, hasExplicitColumns: true, readRows }, layout)
  if (hasMerged)
    namedSink.warn(
      'Cells are merged: a date or a name counts for all of their rows, any other value for the first cell'
    )
  if (isCut) namedSink.warn('The sheet has more than {count} rows: the rest is not read', { count: maxRows })
  return undefined
}

/** Reads the first rows of a sheet that are not empty. */
async function readFirstRows(
  source: SourceFile,
  shared: SharedData,
  merges: MergedRanges
): Promise<string[][]> {
  const rows: string[][] = []
  let size = 0
  const scanner = new SheetScanner(
    shared,
    {
      onRow(cells) {
        size += cells.reduce((sum, { length }) => sum + length + 1, 0)
        if (rows.length < maxSampleRows && (size <= maxBeginningLength || rows.length < 2)) rows.push(cells)
      },
      skip: () => undefined,
      fill: merges.createFiller()
    },
    source.size
  )
  await scanXmlFile(source, scanner, () => rows.length === maxSampleRows || size > maxBeginningLength)
  return rows
}
