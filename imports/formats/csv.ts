/** Tables of separated values from anywhere: guessed by their headers and all of their rows, or mapped by the person. */
import type { Context, Format, Head, Sink, Source } from '../record.js'
import { RowScanner, tableTexts } from '../text/rows.js'
import { Survey } from '../text/survey.js'
import { dayJoiner } from '../tables/day-rows.js'
import { guessed, keyOf } from '../tables/guess.js'
import { findLayout, type Layout } from '../tables/layout.js'
import { knownTable } from '../tables/maker-mapping.js'
import { NextTable } from '../tables/next-table.js'
import { kind, RowReader } from '../tables/row-reader.js'
import { ClockSurvey, RowTimes } from '../tables/row-times.js'

/** Tables in one file. */
const mostTables = 20
/** Rows that are shown. */
const sampleSize = 10
const broken = 'torn by a quote that does not close'

export const csv: Format = {
  id: 'csv',
  name: 'CSV',
  recognises: head => findLayout(head) !== undefined,
  async read(source, head, sink, context) {
    let layout = findLayout(head)
    for (let tables = 1; layout; tables++)
      layout = await readTable({ source, head, sink, context }, layout, tables < mostTables)
  }
}

interface Reading {
  readonly source: Source
  readonly head: Head
  readonly sink: Sink
  readonly context: Context
}

/** Reads a table. Returns the layout of the next one in the file, unless `hasNext` says that there is none. */
async function readTable(reading: Reading, layout: Layout, hasNext: boolean): Promise<Layout | undefined> {
  const { context, head, sink } = reading
  const { options } = context
  const { delimiter, records, skipped } = layout
  const columns = layout.columns ?? records[0]!.map((_cell, at) => `Column ${at + 1}`)
  const key = keyOf(columns)
  const chosen = options.mappings?.[key]
  const known = chosen ? undefined : knownTable(head, layout, columns)
  const mapping = chosen ?? known?.mapping ?? guessed(columns, records)
  const view = { header: key, columns, sample: records.slice(0, sampleSize), mapping }
  const following = new NextTable(layout, mapping?.time ?? 0)
  const isOther = (cells: string[]): boolean => hasNext && following.row(cells)
  if (!mapping || mapping.values.length === 0) {
    context.table(view)
    const reason = known?.leaves ?? 'in a table whose columns have not been mapped yet'
    const torn = await eachRow(reading, layout, Infinity, sink, cells => {
      if (!isOther(cells)) sink.leftOut(kind, reason)
    })
    return finish(sink, following, torn)
  }
  const unheard = { drained: () => undefined }
  const survey = new Survey(mapping, delimiter, options.zone)
  let clocks = new ClockSurvey(mapping, 'dmy', options.zone)
  await eachRow(reading, layout, Infinity, unheard, cells => {
    if (isOther(cells)) return
    survey.row(cells)
    clocks.row(cells)
  })
  const { order = 'dmy' } = survey
  if (order !== 'dmy') {
    clocks = new ClockSurvey(mapping, order, options.zone)
    await eachRow(reading, layout, following.start, unheard, cells => clocks.row(cells))
  }
  const questions = survey.questions()
  context.table({ ...view, ...(questions.length > 0 && { questions }) })
  for (const { asks, cells, column } of questions)
    sink.warn(asked[asks], {
      cell: (cells[0] ?? '').slice(0, 100),
      column: JSON.stringify((columns[column] ?? '').slice(0, 100))
    })
  const times = new RowTimes(mapping, survey, options.zone, clocks)
  const reader = new RowReader(mapping, survey, times, sink, skipped, widthOf(layout))
  const torn = await eachRow(reading, layout, following.start, sink, cells => reader.row(cells))
  reader.finish(columns)
  return finish(sink, following, torn)
}

/** Counts rows with an unclosed quote once, with the last table. */
function finish(sink: Sink, { next }: NextTable, torn: number): Layout | undefined {
  if (!next && torn > 0) sink.leftOut(kind, broken, torn)
  return next
}

/** Cells that a row has at most; rows with more are not what the header says. */
function widthOf({ records, width }: Layout): number {
  const longer = records.filter(({ length }) => length > width)
  // Each may end with one more delimiter.
  const isUsual = longer.length * 2 > records.length && longer.every(row => !row[width]?.trim())
  return width + (isUsual ? 1 : 0)
}

/** Reads all records before a row. Returns how many rows have had an unclosed quote. */
async function eachRow(
  { source, head }: Reading,
  { dayColumn, delimiter, skipped }: Layout,
  end: number,
  sink: Pick<Sink, 'drained'>,
  onRow: (cells: string[]) => void
): Promise<number> {
  let row = 0
  const withDay = dayColumn === undefined ? undefined : dayJoiner(dayColumn)
  const scanner = new RowScanner(delimiter, cells => {
    const at = row++
    if (at >= skipped && at < end) onRow(withDay ? withDay(cells) : cells)
  })
  for await (const piece of tableTexts(source, head)) {
    scanner.write(piece)
    await sink.drained()
    if (row > end) break
  }
  scanner.end()
  return scanner.broken
}

const asked = {
  dates: 'Dates such as {cell} in {column} may be of either order: they are left out until it is said which',
  decimals:
    'Numbers such as {cell} in {column} may have decimals or thousands: they are left out until it is said which'
} as const
