/** Data points of series as events, each with an id of its own. */
import { isSeries } from '../../core/events/fields.js'
import { roundToMicroseconds } from '../../core/exports/format.js'
import { getDuration } from '../../core/exports/value-reader.js'
import { getElementType, timeColumn } from '../../core/series/column-plan.js'
import type { Event } from '../../schemas/event.js'
import { refuse } from './outcome.js'
import type { Patient } from './patient.js'
import { readEvent } from './read-event.js'

/** The points of a series, as `hfs.get` returns them. */
interface Points {
  readonly fields: readonly string[]
  readonly points: readonly (readonly unknown[])[]
}

/** Which points of a series to read. */
export interface PointRange {
  /** Times in seconds, both inclusive. */
  readonly from: number
  readonly to: number
  readonly order: 'ascending' | 'descending'
  readonly limit: number
}

/** The resolution of times of points. */
const microsecond = 1e-6

/** Returns the id of a point: the id of its series, and the microseconds between the time of the series and its own. */
function formatPointId(holderId: string, deltaTime: number): string {
  return `${holderId}.p${Math.round(deltaTime / microsecond)}`
}

const pointId = /^(.+)\.p(\d{1,16})$/

/** Reads the event or the point that an id names. Refuses with 404 if there is no such point. */
export async function readItem(patient: Patient, id: string): Promise<Event> {
  const [, holderId, position] = pointId.exec(id) ?? []
  if (holderId === undefined) return await readEvent(patient, id)
  const holder = await readEvent(patient, holderId)
  if (!isSeries(holder.type)) refuseUnknown()
  const at = holder.time + Number(position) * microsecond
  const range = { from: at - microsecond, to: at + microsecond, order: 'ascending', limit: 10 } as const
  const points = await readPoints(patient, holder, range)
  return points.find(point => point.id === id) ?? refuseUnknown()
}

function refuseUnknown(): never {
  return refuse('not-found', 'There is no such data point', 404)
}

/** Reads points of a series, each as an event. Returns an empty list if the series begins later. */
export async function readPoints(
  { calls }: Patient,
  holder: Event,
  { from, limit, order, to }: PointRange
): Promise<Event[]> {
  if (to < holder.time) return []
  const { fields, points } = await calls.call<Points>('hfs.get', {
    id: holder.id,
    fromDeltaTime: Math.max(0, from - holder.time),
    toDeltaTime: to - holder.time + microsecond,
    sortAscending: order === 'ascending',
    resolution: 'ns',
    limit
  })
  return points.map(row => toEvent(holder, fields, row))
}

function toEvent(holder: Event, fields: readonly string[], row: readonly unknown[]): Event {
  const { attachments: _files, content: _own, description: _text, duration: _length, ...rest } = holder
  const deltaTime = row[fields.indexOf(timeColumn)] as number
  const own = fields.filter(field => field !== timeColumn)
  const isPlain = own.includes('value')
  const duration = getDuration(fields, row, []) as number | undefined
  const content = isPlain
    ? row[fields.indexOf('value')]
    : Object.fromEntries(own.map(field => [field, row[fields.indexOf(field)] ?? undefined]))
  return {
    ...rest,
    id: formatPointId(holder.id, deltaTime),
    type: getElementType(holder.type),
    time: roundToMicroseconds(holder.time + deltaTime),
    content,
    ...(isPlain && duration !== undefined && { duration })
  }
}
