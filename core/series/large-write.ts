/** How much work points are to write, before they are looked at any closer. (docs/spec/series.md#writing-points) */
import type { UserStore } from '../../storage/user/user-store.js'
import { isObject } from '../validation/is-object.js'
import { timeColumn, timestampColumn } from './column-plan.js'

/** Rows that are written at once. */
const maxRowsAtOnce = 4000
/** Of those that do not come after all others: each may have a chunk of its own written again. */
const maxScatteredAtOnce = 4

/** The points of one series, as sent. */
export interface SentPoints {
  readonly eventId: unknown
  readonly data: unknown
}

/** Whether writing these points at once would keep others waiting: a guess. */
export function isLargeWrite(store: UserStore, all: readonly SentPoints[]): boolean {
  let rows = 0
  for (const { data } of all) if ((rows += getRows(data).length) > maxRowsAtOnce) return true
  if (rows <= maxScatteredAtOnce) return false
  let scattered = 0
  return all.some(
    ({ data, eventId }) => (scattered += countScattered(store, eventId, data)) > maxScatteredAtOnce
  )
}

/** The rows of what may be a `flatJSON` value. */
function getRows(value: unknown): readonly unknown[] {
  const points = isObject(value) ? value['points'] : undefined
  return Array.isArray(points) ? points : []
}

function countScattered({ series }: UserStore, eventId: unknown, value: unknown): number {
  const end = typeof eventId === 'string' ? series.getEnd(eventId) : undefined
  if (!end || !isObject(value) || !Array.isArray(value['fields'])) return 0
  const fields = value['fields'] as unknown[]
  const [own, absolute] = [fields.indexOf(timeColumn), fields.indexOf(timestampColumn)]
  const [column, last] = own < 0 ? [absolute, end.time + end.until] : [own, end.until]
  let count = 0
  // What is not a number may be the text of one.
  for (const row of getRows(value)) if (!(Number((row as unknown[] | null)?.[column]) > last)) count++
  return count
}
