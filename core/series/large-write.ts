/** Estimates how much work writing points is, before they are parsed. (docs/spec/series.md#writing-points) */
import type { UserStore } from '../../storage/user/user-store.js'
import { isObject } from '../validation/is-object.js'
import { timeColumn, timestampColumn } from './column-plan.js'

/** Maximum number of rows that are written without yielding. */
const maxRowsAtOnce = 4000
/** Maximum number of rows before the end of the series that are written without yielding: each may rewrite a separate chunk. */
const maxScatteredAtOnce = 4
/** Maximum size of all chunks that these rows rewrite, in bytes. */
const maxRewrittenAtOnce = 1024 * 1024

/** Maximum length of all texts in rows that are written without yielding, in characters. */
const maxTextAtOnce = 256 * 1024

/** The points of one series, as sent. */
export interface SentPoints {
  readonly eventId: unknown
  readonly data: unknown
}

/**
 * Estimates whether writing these points without yielding would block other work: they are many, their texts are long, or
 * several lie before the end of their series, or rewrite long chunks.
 */
export function isLargeWrite(store: UserStore, all: readonly SentPoints[]): boolean {
  let rows = 0
  for (const { data } of all) if ((rows += getRows(data).length) > maxRowsAtOnce) return true
  let length = 0
  for (const { data } of all)
    for (const row of getRows(data)) if ((length += getTextLength(row)) > maxTextAtOnce) return true
  let scattered = 0
  let rewritten = 0
  for (const { data, eventId } of all)
    for (const size of listRewritten(store, eventId, data))
      if (++scattered > maxScatteredAtOnce || (rewritten += size) > maxRewrittenAtOnce) return true
  return false
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

/** Yields the size of the chunk that each row before the end of the series rewrites, in bytes. */
function* listRewritten({ series }: UserStore, eventId: unknown, value: unknown): Generator<number> {
  const end = typeof eventId === 'string' ? series.getEnd(eventId) : undefined
  if (!end || !isObject(value) || !Array.isArray(value['fields'])) return
  const fields = value['fields'] as unknown[]
  const [own, absolute] = [fields.indexOf(timeColumn), fields.indexOf(timestampColumn)]
  const [column, origin] = own < 0 ? [absolute, end.time] : [own, 0]
  for (const row of getRows(value)) {
    // A value that is not a number may be numeric text.
    const time = Number((row as unknown[] | null)?.[column]) - origin
    if (!(time > end.until)) yield series.getChunkSize(end.number, time)
  }
}
