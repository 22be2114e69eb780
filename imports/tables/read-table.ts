/** Reads tables of texts or sheets: one or more passes detect how values are written, the last one reads them. */
import { silentSink, type Mapping, type Sink } from '../record.js'
import { NotationDetector } from '../text/notation-detector.js'
import { createDayJoiner } from './day-rows.js'
import { detectMapping, getTableKey } from './detect-mapping.js'
import type { TableLayout } from './table-layout.js'
import { findLongColumns, pivotLongTable, type ForEachRecord, type WideTableResult } from './long-table.js'
import { findKnownTable } from './known-table.js'
import { NextTableFinder } from './next-table-finder.js'
import { rowKind, TableRowReader } from './table-row-reader.js'
import { ClockChangeResolver, RowTimeReader } from './row-times.js'
import type { OnRow, TableSource, RowSelection } from './table-source.js'

/** Maximum number of tables in a file or sheet. */
const maxTables = 20
/** Number of rows in the preview. */
const sampleSize = 10
const unclosedQuote = 'torn by a quote that does not close'

/** Position of a table in its file. */
interface TablePosition {
  readonly layout: TableLayout
  /** The first row, from 0, whose skipped records count for this table. */
  readonly firstRow: number
  readonly hasNext: boolean
}

/**
 * Reads a table, and the tables below it that have their own header. Reports each table with its mapping and
 * open questions; rows of an unmapped table are skipped.
 */
export async function readTables(reading: TableSource, first: TableLayout): Promise<void> {
  let layout: TableLayout | undefined = first
  for (let tables = 1; layout; tables++) {
    const from = tables === 1 ? 0 : layout.skippedRows - 1
    layout = await readTable(reading, { layout, firstRow: from, hasNext: tables < maxTables })
  }
}

/**
 * Reads a table; returns the layout of the next table in the file. Returns `undefined` if there is none.
 * Reports the table, its mapping, and what its cells leave open.
 */
async function readTable(reading: TableSource, position: TablePosition): Promise<TableLayout | undefined> {
  const { context, sink } = reading
  const { hasNext, layout } = position
  const { options } = context
  const { delimiter, firstMeasure, records, skippedRows } = layout
  const columns = layout.columns ?? records[0]!.map((_cell, index) => `Column ${index + 1}`)
  const key = getTableKey(columns)
  const userMapping = options.mappings?.[key]
  const knownTableMapping = userMapping ? undefined : findKnownTable(reading, layout, columns)
  const mapping = userMapping ?? knownTableMapping?.mapping ?? detectMapping(columns, records)
  const longTable =
    userMapping || knownTableMapping ? undefined : await pivotIfLong(reading, position, mapping)
  if (longTable) {
    const { readRows, layout: wide } = longTable
    return await readTable({ ...reading, readRows }, { ...position, layout: wide, hasNext: false })
  }
  const view = { header: key, columns, sample: records.slice(0, sampleSize), mapping }
  const nextTable = new NextTableFinder(layout, mapping?.time ?? 0)
  const notation = new NotationDetector(mapping ?? unmapped, delimiter, options.zone)
  let clockResolver = new ClockChangeResolver(mapping ?? unmapped, 'dmy', options.zone)
  const isMapped = mapping !== undefined && mapping.values.length > 0
  await readRecords(reading, position, Infinity, silentSink, mapping, (cells, _at, numbers) => {
    if ((hasNext && nextTable.addRow(cells)) || !isMapped) return
    notation.addRow(cells, numbers)
    clockResolver.observeRow(cells)
  })
  const { nextLayout, startRow } = nextTable
  /** Counts rows with an unclosed quote only once, with the last table. */
  const read = async (onRow: OnRow): Promise<void> => {
    const unclosedCount = await readRecords(reading, position, startRow, sink, mapping, onRow)
    if (!nextLayout && unclosedCount > 0) sink.skip(rowKind, unclosedQuote, unclosedCount)
  }
  if (!isMapped) {
    context.reportTable(view)
    const reason = knownTableMapping?.skipReason ?? 'in a table whose columns have not been mapped yet'
    await read(() => sink.skip(rowKind, reason))
    return nextLayout
  }
  const { order = 'dmy' } = notation
  if (order !== 'dmy') {
    clockResolver = new ClockChangeResolver(mapping, order, options.zone)
    await readRecords(reading, position, startRow, silentSink, mapping, cells =>
      clockResolver.observeRow(cells)
    )
  }
  const questions = notation.listQuestions()
  context.reportTable({ ...view, ...(questions.length > 0 && { questions }) })
  for (const { asks, cells, column } of questions)
    sink.warn(questionMessages[asks], {
      cell: (cells[0] ?? '').slice(0, 100),
      column: (columns[column] ?? '').slice(0, 100)
    })
  const times = new RowTimeReader(mapping, notation, options.zone, clockResolver)
  const width = getMaxWidth(reading, layout)
  const reader = new TableRowReader(mapping, notation, times, sink, {
    columns,
    firstMeasure,
    skipped: skippedRows,
    width
  })
  await read((...row) => reader.addRow(...row))
  reader.finish()
  return nextLayout
}

/** Converts a long table to one with a column for each measure; returns `undefined` if the table is not long. */
async function pivotIfLong(
  reading: TableSource,
  position: TablePosition,
  mapping: Mapping | undefined
): Promise<WideTableResult | undefined> {
  const { layout } = position
  const found = layout.dayColumn === undefined ? findLongColumns(layout) : []
  const candidates = found.filter(({ value }) =>
    mapping?.values.every(({ column, type }) => column === value || type.startsWith('note/'))
  )
  if (candidates.length === 0) return undefined
  const each: ForEachRecord = onRow => readRecords(reading, position, Infinity, silentSink, undefined, onRow)
  return await pivotLongTable(candidates, reading, layout, getMaxWidth(reading, layout), each)
}

/** Returns the maximum number of cells of a row. Rows with more do not match the header. */
function getMaxWidth({ hasExplicitColumns }: TableSource, { records, width }: TableLayout): number {
  if (hasExplicitColumns) return Infinity
  const longer = records.filter(({ length }) => length > width)
  // Every row may end with an extra delimiter.
  const hasTrailingDelimiter = longer.length * 2 > records.length && longer.every(row => !row[width]?.trim())
  return width + (hasTrailingDelimiter ? 1 : 0)
}

/** Reads all records of a table before row `end`; returns the number of rows with an unclosed quote. */
async function readRecords(
  { readRows }: TableSource,
  { firstRow, layout: { dayColumn, skippedRows } }: TablePosition,
  end: number,
  sink: Pick<Sink, 'skip'>,
  mapping: Mapping = unmapped,
  onRow: OnRow
): Promise<number> {
  let row = 0
  const withDay = dayColumn === undefined ? undefined : createDayJoiner(dayColumn)
  const { clock, description, source, time, zoneColumn } = mapping
  const wanted: RowSelection = {
    sharedColumns: new Set([clock, description, source, time, zoneColumn]),
    isRecord: () => row >= skippedRows && row < end,
    isEnough: () => row > end
  }
  const tableSink: typeof sink = {
    skip(...args) {
      if (row >= firstRow && row < end) sink.skip(...args)
    }
  }
  return await readRows(wanted, tableSink, (cells, ...rest) => {
    const isRecord = wanted.isRecord()
    row++
    if (isRecord) onRow(withDay ? withDay(cells) : cells, ...rest)
  })
}

const unmapped: Mapping = { time: 0, values: [] }
const questionMessages = {
  dates:
    'Dates such as {cell} in "{column}" may be of either order: they are left out until it is said which',
  decimals:
    'Numbers such as {cell} in "{column}" may have decimals or thousands: they are left out until it is said which'
} as const
