/** Tables of separated values from anywhere: guessed by their headers and all of their rows, or mapped by the person. */
import type { Format, Head, Sink, Source } from '../record.js'
import { RowScanner, tableTexts } from '../text/rows.js'
import { Survey } from '../text/survey.js'
import { guessed, keyOf } from '../tables/guess.js'
import { findLayout, type Layout } from '../tables/layout.js'
import { knownTable } from '../tables/maker-mapping.js'
import { kind, RowReader } from '../tables/row-reader.js'
import { ClockSurvey, RowTimes } from '../tables/row-times.js'

/** Rows that are shown. */
const sampleSize = 10
const broken = 'torn by a quote that does not close'

export const csv: Format = {
  id: 'csv',
  name: 'CSV',
  recognises: head => findLayout(head) !== undefined,
  async read(source, head, sink, context) {
    const { options } = context
    const layout = findLayout(head)!
    const { delimiter, records, skipped } = layout
    const columns = layout.columns ?? records[0]!.map((_cell, at) => `Column ${at + 1}`)
    const key = keyOf(columns)
    const chosen = options.mappings?.[key]
    const known = chosen ? undefined : knownTable(head, layout, columns)
    const mapping = chosen ?? known?.mapping ?? guessed(columns, records)
    const view = { header: key, columns, sample: records.slice(0, sampleSize), mapping }
    if (!mapping || mapping.values.length === 0) {
      context.table(view)
      const reason = known?.leaves ?? 'in a table whose columns have not been mapped yet'
      const torn = await eachRow(source, head, layout, sink, () => sink.leftOut(kind, reason))
      if (torn > 0) sink.leftOut(kind, broken, torn)
      return
    }
    const unheard = { drained: () => undefined }
    const survey = new Survey(mapping, delimiter, options.zone)
    let clocks = new ClockSurvey(mapping, 'dmy', options.zone)
    await eachRow(source, head, layout, unheard, cells => {
      survey.row(cells)
      clocks.row(cells)
    })
    const { order = 'dmy' } = survey
    if (order !== 'dmy') {
      clocks = new ClockSurvey(mapping, order, options.zone)
      await eachRow(source, head, layout, unheard, cells => clocks.row(cells))
    }
    const questions = survey.questions()
    context.table({ ...view, ...(questions.length > 0 && { questions }) })
    for (const { asks, cells, column } of questions)
      sink.warn(asked[asks], {
        cell: (cells[0] ?? '').slice(0, 100),
        column: JSON.stringify((columns[column] ?? '').slice(0, 100))
      })
    const times = new RowTimes(mapping, survey, options.zone, clocks)
    const reader = new RowReader(mapping, survey, times, sink, skipped)
    const torn = await eachRow(source, head, layout, sink, cells => reader.row(cells))
    reader.finish(columns)
    if (torn > 0) sink.leftOut(kind, broken, torn)
  }
}

/** Reads all records. Returns how many of them had an unclosed quote. */
async function eachRow(
  source: Source,
  head: Head,
  { delimiter, skipped }: Layout,
  sink: Pick<Sink, 'drained'>,
  onRow: (cells: string[]) => void
): Promise<number> {
  let row = 0
  const scanner = new RowScanner(delimiter, cells => {
    if (row++ >= skipped) onRow(cells)
  })
  for await (const piece of tableTexts(source, head)) {
    scanner.write(piece)
    await sink.drained()
  }
  scanner.end()
  return scanner.broken
}

const asked = {
  dates: 'Dates such as {cell} in {column} may be of either order: they are left out until it is said which',
  decimals:
    'Numbers such as {cell} in {column} may have decimals or thousands: they are left out until it is said which'
} as const
