/** Validates the series of a foreign file: chunks in order, with rows in ascending order. */
import { Type } from 'typebox'
import { isSeries } from '../../core/events/fields.js'
import type { Row as PointRow } from '../../storage/series/rows.js'
import { summarizeRows } from '../../storage/series/summary.js'
import { maxChunkRows } from '../../storage/series/write.js'
import type { Row } from '../../storage/validation/foreign-file.js'
import { compileShape, type Examiner } from './examiner.js'

const areColumns = compileShape(
  Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 1000, uniqueItems: true })
)

/** Reports problems with all series, and with each of their data points. */
export function examineSeries(examiner: Examiner): void {
  const { file } = examiner
  const all = `SELECT s.*, name, e.id AS holder FROM series s
    JOIN event e ON e.number = s.event JOIN event_type t ON t.number = e.type`
  const widths = new Map<number, { width: number; until: number; holder: unknown }>()
  for (const { behind, columns, event, holder, loose, name, until } of file.rows(all)) {
    const names = examiner.read('series', holder, columns, areColumns) as string[] | undefined
    const isRight = isSeries(String(name)) && Number(until) >= 0 && Number(loose) >= 0 && isFlag(behind)
    examiner.check(isRight, 'series', holder, 'does not have the format of a series')
    if (names) widths.set(Number(event), { width: names.length + 1, until: Number(until), holder })
  }
  let before = { event: -1, last: -1 }
  const chunks = `SELECT c.*, s.chunk AS summarized, s.last AS summaryLast, s.count AS summaryCount,
    s.extremes AS summaryExtremes, s.measures, s.parts
    FROM series_chunk c LEFT JOIN series_summary s ON s.chunk = c.number ORDER BY event, first`
  for (const chunk of file.rows(chunks)) {
    const [event, first, last] = [Number(chunk['event']), Number(chunk['first']), Number(chunk['last'])]
    const series = widths.get(event)
    if (!series) continue
    const isNext = before.event !== event || first > before.last
    const isRight =
      isNext && last <= series.until && Number(chunk['width']) <= series.width && hasDeclaredPoints(chunk)
    examiner.check(isRight, 'series', series.holder, 'holds points that cannot have been written')
    before = { event, last }
  }
}

function isFlag(value: unknown): boolean {
  return value === 0 || value === 1
}

/** Returns true if a chunk contains the data points that its columns declare. */
function hasDeclaredPoints(chunk: Row): boolean {
  const { count, extremes, fine, first, last, points, width } = chunk
  if (!isFlag(fine) || Number(count) < 1 || Number(count) > maxChunkRows || Number(first) < 0) return false
  const rows = parseRows(`[${points}]`)
  if (!rows || rows.length !== count || !areRows(rows, Number(width), Number(width))) return false
  if (rows[0]![0] !== first || rows.at(-1)![0] !== last) return false
  if (!hasMatchingSummary(chunk, rows as unknown as readonly PointRow[])) return false
  if (extremes === null) return true
  const extremeRows = parseRows(String(extremes))
  return (
    extremeRows !== undefined && extremeRows.length <= rows.length && areRows(extremeRows, 1, Number(width))
  )
}

/** Returns true if a chunk has no summary, or a summary that matches its data points: samples rely on summaries. */
function hasMatchingSummary(chunk: Row, rows: readonly PointRow[]): boolean {
  const { count, last, measures, parts, summarized, summaryCount, summaryExtremes, summaryLast } = chunk
  if (summarized === null) return true
  const { summary } = summarizeRows(rows)
  return (
    summary !== null &&
    summary.extremes === summaryExtremes &&
    summary.measures === measures &&
    summary.parts === parts &&
    summaryLast === last &&
    summaryCount === count
  )
}

/** Parses rows in the form in which the service writes them. */
function parseRows(text: string): (readonly unknown[])[] | undefined {
  try {
    const rows = JSON.parse(text) as unknown
    return Array.isArray(rows) && rows.every(Array.isArray) && JSON.stringify(rows) === text
      ? rows
      : undefined
  } catch {
    return undefined
  }
}

/** Returns true if rows have `minCells` to `maxCells` cells, and ascending times. */
function areRows(rows: readonly (readonly unknown[])[], minCells: number, maxCells: number): boolean {
  let before = -1
  return rows.every(([time, ...cells]) => {
    const isNext = typeof time === 'number' && time > before
    before = Number(time)
    return isNext && cells.length + 1 >= minCells && cells.length + 1 <= maxCells
  })
}
