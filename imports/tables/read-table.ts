/** Reads tables of texts or sheets: one or more passes detect how values are written, the last one reads them. */
import type { Mapping, Sink } from '../record.js'
import { Survey } from '../text/survey.js'
import { dayJoiner } from './day-rows.js'
import { guessed, keyOf } from './guess.js'
import type { Layout } from './layout.js'
import { findLongColumns, pivot, type EachRecord, type Pivoted } from './long-table.js'
import { knownTable } from './maker-mapping.js'
import { NextTable } from './next-table.js'
import { kind, RowReader } from './row-reader.js'
import { ClockSurvey, RowTimes } from './row-times.js'
import type { OnRow, TableReading, Wanted } from './table-reading.js'

/** Limit of tables in a file or sheet. */
const maxTables = 20
/** Number of rows in the preview. */
const sampleSize = 10
const unclosedQuote = 'torn by a quote that does not close'

/** Position of a table in its file. */
interface TablePosition {
  readonly layout: Layout
  /** The first row, from 0, whose skipped records count for this table. */
  readonly firstRow: number
  readonly hasNext: boolean
}

const silentSink = { leftOut: () => undefined }

/** Reads a table and those below it that have their own header. */
export async function readTables(reading: TableReading, first: Layout): Promise<void> {
  let layout: Layout | undefined = first
  for (let tables = 1; layout; tables++) {
    const from = tables === 1 ? 0 : layout.skipped - 1
    layout = await readTable(reading, { layout, firstRow: from, hasNext: tables < maxTables })
  }
}

/** Reads a table; returns the layout of the next one in the file. */
async function readTable(reading: TableReading, position: TablePosition): Promise<Layout | undefined> {
  const { context, sink } = reading
  const { hasNext, layout } = position
  const { options } = context
  const { delimiter, firstMeasure, records, skipped } = layout
  const columns = layout.columns ?? records[0]!.map((_cell, index) => `Column ${index + 1}`)
  const key = keyOf(columns)
  const userMapping = options.mappings?.[key]
  const knownTableMapping = userMapping ? undefined : knownTable(reading, layout, columns)
  const mapping = userMapping ?? knownTableMapping?.mapping ?? guessed(columns, records)
  const longTable =
    userMapping || knownTableMapping ? undefined : await pivotIfLong(reading, position, mapping)
  if (longTable) {
    const { eachRow, layout: wide } = longTable
    return await readTable({ ...reading, eachRow }, { ...position, layout: wide, hasNext: false })
  }
  const view = { header: key, columns, sample: records.slice(0, sampleSize), mapping }
  const nextTable = new NextTable(layout, mapping?.time ?? 0)
  const notation = new Survey(mapping ?? unmapped, delimiter, options.zone)
  let clockResolver = new ClockSurvey(mapping ?? unmapped, 'dmy', options.zone)
  const isMapped = mapping !== undefined && mapping.values.length > 0
  await readRecords(reading, position, Infinity, silentSink, mapping, (cells, _at, numbers) => {
    if ((hasNext && nextTable.row(cells)) || !isMapped) return
    notation.row(cells, numbers)
    clockResolver.row(cells)
  })
  const { next, start } = nextTable
  /** Counts rows with an unclosed quote only once, with the last table. */
  const read = async (onRow: OnRow): Promise<void> => {
    const unclosedCount = await readRecords(reading, position, start, sink, mapping, onRow)
    if (!next && unclosedCount > 0) sink.leftOut(kind, unclosedQuote, unclosedCount)
  }
  if (!isMapped) {
    context.table(view)
    const reason = knownTableMapping?.leaves ?? 'in a table whose columns have not been mapped yet'
    await read(() => sink.leftOut(kind, reason))
    return next
  }
  const { order = 'dmy' } = notation
  if (order !== 'dmy') {
    clockResolver = new ClockSurvey(mapping, order, options.zone)
    await readRecords(reading, position, start, silentSink, mapping, cells => clockResolver.row(cells))
  }
  const questions = notation.questions()
  context.table({ ...view, ...(questions.length > 0 && { questions }) })
  for (const { asks, cells, column } of questions)
    sink.warn(questionMessages[asks], {
      cell: (cells[0] ?? '').slice(0, 100),
      column: JSON.stringify((columns[column] ?? '').slice(0, 100))
    })
  const times = new RowTimes(mapping, notation, options.zone, clockResolver)
  const width = getMaxWidth(reading, layout)
  const reader = new RowReader(mapping, notation, times, sink, { columns, firstMeasure, skipped, width })
  await read((...row) => reader.row(...row))
  reader.finish()
  return next
}

/** Converts a long table to one with a column for each measure; returns `undefined` if it is not one. */
async function pivotIfLong(
  reading: TableReading,
  position: TablePosition,
  mapping: Mapping | undefined
): Promise<Pivoted | undefined> {
  const { layout } = position
  const found = layout.dayColumn === undefined ? findLongColumns(layout) : []
  const candidates = found.filter(({ value }) =>
    mapping?.values.every(({ column, type }) => column === value || type.startsWith('note/'))
  )
  if (candidates.length === 0) return undefined
  const each: EachRecord = onRow => readRecords(reading, position, Infinity, silentSink, undefined, onRow)
  return await pivot(candidates, reading, layout, getMaxWidth(reading, layout), each)
}

/** Returns the maximum number of cells of a row. Rows with more do not match the header. */
function getMaxWidth({ isPlaced }: TableReading, { records, width }: Layout): number {
  if (isPlaced) return Infinity
  const longer = records.filter(({ length }) => length > width)
  // Every row may end with an extra delimiter.
  const hasTrailingDelimiter = longer.length * 2 > records.length && longer.every(row => !row[width]?.trim())
  return width + (hasTrailingDelimiter ? 1 : 0)
}

/** Reads all records of a table before row `end`; returns the number of rows with an unclosed quote. */
async function readRecords(
  { eachRow }: TableReading,
  { firstRow: from, layout: { dayColumn, skipped } }: TablePosition,
  end: number,
  sink: Pick<Sink, 'leftOut'>,
  mapping: Mapping = unmapped,
  onRow: OnRow
): Promise<number> {
  let row = 0
  const withDay = dayColumn === undefined ? undefined : dayJoiner(dayColumn)
  const { clock, description, source, time, zoneColumn } = mapping
  const wanted: Wanted = {
    shared: new Set([clock, description, source, time, zoneColumn]),
    isRecord: () => row >= skipped && row < end,
    isEnough: () => row > end
  }
  const tableSink: typeof sink = {
    leftOut(...args) {
      if (row >= from && row < end) sink.leftOut(...args)
    }
  }
  return await eachRow(wanted, tableSink, (cells, ...rest) => {
    const isRecord = wanted.isRecord()
    row++
    if (isRecord) onRow(withDay ? withDay(cells) : cells, ...rest)
  })
}

const unmapped: Mapping = { time: 0, values: [] }
const questionMessages = {
  dates: 'Dates such as {cell} in {column} may be of either order: they are left out until it is said which',
  decimals:
    'Numbers such as {cell} in {column} may have decimals or thousands: they are left out until it is said which'
} as const
