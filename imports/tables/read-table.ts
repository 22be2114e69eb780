/** Reads tables, of texts or of sheets: their rows once or more for how they are written, then for what is in them. */
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

/** Tables in one file, or in one sheet. */
const mostTables = 20
/** Rows that are shown. */
const sampleSize = 10
const broken = 'torn by a quote that does not close'

/** Where a table stands in its file. */
interface Place {
  readonly layout: Layout
  /** The first row, from 0, of which what is left out belongs to it. */
  readonly from: number
  readonly hasNext: boolean
}

const unheard = { leftOut: () => undefined }

/** Reads a table, and those below it that have a header of their own. */
export async function readTables(reading: TableReading, first: Layout): Promise<void> {
  let layout: Layout | undefined = first
  for (let tables = 1; layout; tables++) {
    const from = tables === 1 ? 0 : layout.skipped - 1
    layout = await readTable(reading, { layout, from, hasNext: tables < mostTables })
  }
}

/** Reads a table. Returns the layout of the next one in the file. */
async function readTable(reading: TableReading, place: Place): Promise<Layout | undefined> {
  const { context, sink } = reading
  const { hasNext, layout } = place
  const { options } = context
  const { delimiter, firstMeasure, records, skipped } = layout
  const columns = layout.columns ?? records[0]!.map((_cell, at) => `Column ${at + 1}`)
  const key = keyOf(columns)
  const chosen = options.mappings?.[key]
  const known = chosen ? undefined : knownTable(reading, layout, columns)
  const mapping = chosen ?? known?.mapping ?? guessed(columns, records)
  const pivoted = chosen || known ? undefined : await pivotedFor(reading, place, mapping)
  if (pivoted) {
    const { eachRow, layout: wide } = pivoted
    return await readTable({ ...reading, eachRow }, { ...place, layout: wide, hasNext: false })
  }
  const view = { header: key, columns, sample: records.slice(0, sampleSize), mapping }
  const following = new NextTable(layout, mapping?.time ?? 0)
  const survey = new Survey(mapping ?? unmapped, delimiter, options.zone)
  let clocks = new ClockSurvey(mapping ?? unmapped, 'dmy', options.zone)
  const isMapped = mapping !== undefined && mapping.values.length > 0
  await eachRecord(reading, place, Infinity, unheard, mapping, (cells, _at, numbers) => {
    if ((hasNext && following.row(cells)) || !isMapped) return
    survey.row(cells, numbers)
    clocks.row(cells)
  })
  const { next, start } = following
  /** Counts rows with an unclosed quote once, with the last table. */
  const read = async (onRow: OnRow): Promise<void> => {
    const torn = await eachRecord(reading, place, start, sink, mapping, onRow)
    if (!next && torn > 0) sink.leftOut(kind, broken, torn)
  }
  if (!isMapped) {
    context.table(view)
    const reason = known?.leaves ?? 'in a table whose columns have not been mapped yet'
    await read(() => sink.leftOut(kind, reason))
    return next
  }
  const { order = 'dmy' } = survey
  if (order !== 'dmy') {
    clocks = new ClockSurvey(mapping, order, options.zone)
    await eachRecord(reading, place, start, unheard, mapping, cells => clocks.row(cells))
  }
  const questions = survey.questions()
  context.table({ ...view, ...(questions.length > 0 && { questions }) })
  for (const { asks, cells, column } of questions)
    sink.warn(asked[asks], {
      cell: (cells[0] ?? '').slice(0, 100),
      column: (columns[column] ?? '').slice(0, 100)
    })
  const times = new RowTimes(mapping, survey, options.zone, clocks)
  const width = widthIn(reading, layout)
  const reader = new RowReader(mapping, survey, times, sink, { columns, firstMeasure, skipped, width })
  await read((...row) => reader.row(...row))
  reader.finish()
  return next
}

/** Returns a table with a row for each value as one with a column for each measure; `undefined` for what is none. */
async function pivotedFor(
  reading: TableReading,
  place: Place,
  mapping: Mapping | undefined
): Promise<Pivoted | undefined> {
  const { layout } = place
  const found = layout.dayColumn === undefined ? findLongColumns(layout) : []
  const candidates = found.filter(({ value }) =>
    mapping?.values.every(({ column, type }) => column === value || type.startsWith('note/'))
  )
  if (candidates.length === 0) return undefined
  const each: EachRecord = onRow => eachRecord(reading, place, Infinity, unheard, undefined, onRow)
  return await pivot(candidates, reading, layout, widthIn(reading, layout), each)
}

/** Cells that a row has at most; rows with more are not what the header says. */
function widthIn({ isPlaced }: TableReading, { records, width }: Layout): number {
  if (isPlaced) return Infinity
  const longer = records.filter(({ length }) => length > width)
  // Each may end with one more delimiter.
  const isUsual = longer.length * 2 > records.length && longer.every(row => !row[width]?.trim())
  return width + (isUsual ? 1 : 0)
}

/** Reads all records of a table before a row. Returns how many rows have had an unclosed quote. */
async function eachRecord(
  { eachRow }: TableReading,
  { from, layout: { dayColumn, skipped } }: Place,
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
  const told: typeof sink = {
    leftOut(...given) {
      if (row >= from && row < end) sink.leftOut(...given)
    }
  }
  return await eachRow(wanted, told, (cells, ...rest) => {
    const isRecord = wanted.isRecord()
    row++
    if (isRecord) onRow(withDay ? withDay(cells) : cells, ...rest)
  })
}

const unmapped: Mapping = { time: 0, values: [] }
const asked = {
  dates: 'Dates such as {cell} in "{column}" may be of either order: they are left out until it is said which',
  decimals:
    'Numbers such as {cell} in "{column}" may have decimals or thousands: they are left out until it is said which'
} as const
