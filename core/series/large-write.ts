/** Estimates how much work writing points is, before they are parsed. (docs/spec/series.md#writing-points) */
import type { UserStore } from '../../storage/user/user-store.js'
import { isObject } from '../validation/is-object.js'
import { timeColumn, timestampColumn } from './column-plan.js'

/** Maximum number of rows that are written without yielding. */
const maxRowsAtOnce = 4000
/** Maximum number of rows before the end of the series that are written without yielding: each may rewrite a separate chunk. */
const maxScatteredAtOnce = 4

/** Maximum length of all texts in rows that are written without yielding, in characters. */
const maxTextAtOnce = 256 * 1024

/** The points of one series, as sent. */
export interface SentPoints {
  readonly eventId: unknown
  readonly data: unknown
}

/**
 * Estimates whether writing these points without yielding would block other work: they are many, their texts are long, or
 * several lie before the end of their series.
 */
export function isLargeWrite(store: UserStore, all: readonly SentPoints[]): boolean {
  let rows = 0
  for (const { data } of all) if ((rows += getRows(data).length) > maxRowsAtOnce) return true
  let length = 0
  for (const { data } of all)
    for (const row of getRows(data)) if ((length += getTextLength(row)) > maxTextAtOnce) return true
  if (rows <= maxScatteredAtOnce) return false
  let scattered = 0
  return all.some(
    ({ data, eventId }) => (scattered += countScattered(store, eventId, data)) > maxScatteredAtOnce
  )
}

/** Returns the rows of a value that may be `flatJSON`. */
function getRows(value: unknown): readonly unknown[] {
  const points = isObject(value) ? value['points'] : undefined
  return Array.isArray(points) ? points : []
}

/** Returns the length of the texts of a row. */
function getTextLength(row: unknown): number {
  let length = 0
  if (Array.isArray(row))
    for (const cell of row as unknown[]) if (typeof cell === 'string') length += cell.length
  return length
}

/** Counts rows that lie before the end of the series. */
function countScattered({ series }: UserStore, eventId: unknown, value: unknown): number {
  const end = typeof eventId === 'string' ? series.getEnd(eventId) : undefined
  if (!end || !isObject(value) || !Array.isArray(value['fields'])) return 0
  const fields = value['fields'] as unknown[]
  const [own, absolute] = [fields.indexOf(timeColumn), fields.indexOf(timestampColumn)]
  const [column, last] = own < 0 ? [absolute, end.time + end.until] : [own, end.until]
  let count = 0
  // A value that is not a number may be numeric text.
  for (const row of getRows(value)) if (!(Number((row as unknown[] | null)?.[column]) > last)) count++
  return count
}
