/** Data points of series as events, each with an id of its own. */
import { isSeries } from '../../core/events/fields.js'
import { formatPointId } from '../../core/exports/fhir-observation.js'
import { roundToMicroseconds } from '../../core/time.js'
import { getDuration } from '../../core/exports/value-reader.js'
import { durationColumn, getElementType, timeColumn } from '../../core/series/column-plan.js'
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
  /** Times in seconds. */
  readonly from: number
  readonly to: number
  readonly order: 'ascending' | 'descending'
  readonly limit: number
}

/** The resolution of times of points in events. Points themselves may be a nanosecond apart. */
const microsecond = 1e-6

const pointId = /^(.+)\.p(\d{1,16}(?:\.\d{3})?)$/

/** Returns the parts of the id of a point: the id of its series, and its deltaTime in seconds. `undefined` for other ids. */
export function parsePointId(
  id: string
): { readonly holderId: string; readonly deltaTime: number } | undefined {
  const [, holderId, position] = pointId.exec(id) ?? []
  return holderId === undefined ? undefined : { holderId, deltaTime: Number(`${position}e-6`) }
}

/** Reads the event or the point that an id names. Refuses with 404 if there is no such point. */
export async function readItem(patient: Patient, id: string): Promise<Event> {
  const place = parsePointId(id)
  if (!place) return await readEvent(patient, id)
  const holder = await readEvent(patient, place.holderId)
  if (!isSeries(holder.type)) refuseUnknown()
  const { deltaTime } = place
  // Doubles of great times are less exact.
  const margin = 1e-9 + deltaTime * 1e-15
  const points = await readPointsBetween(patient, holder, {
    from: deltaTime - margin,
    to: deltaTime + margin,
    order: 'ascending',
    limit: 10
  })
  return points.find(point => point.id === id) ?? refuseUnknown()
}

function refuseUnknown(): never {
  return refuse('not-found', 'There is no such data point', 404)
}

/**
 * Reads points of a series, each as an event. The first and the last may be two microseconds before and after
 * the range. Returns an empty list if the series begins later.
 */
export async function readPoints(patient: Patient, holder: Event, range: PointRange): Promise<Event[]> {
  const [from, to] = [range.from - holder.time - microsecond, range.to - holder.time + 2 * microsecond]
  return await readPointsBetween(patient, holder, { ...range, from, to })
}

/** Reads points by their deltaTime. */
async function readPointsBetween(
  { calls }: Patient,
  holder: Event,
  { from, limit, order, to }: PointRange
): Promise<Event[]> {
  if (to <= 0) return []
  const { fields, points } = await calls.call<Points>('hfs.get', {
    id: holder.id,
    fromDeltaTime: Math.max(0, from),
    toDeltaTime: to,
    sortAscending: order === 'ascending',
    resolution: 'ns',
    limit
  })
  return points.map(row => toEvent(holder, fields, row))
}

/** Returns a point with any content, by which a search finds out whether points of a series are among those that it is about. */
export function createSample(holder: Event): Event {
  return toEvent(holder, [timeColumn, 'analysis'], [0, 'asleep'])
}

/**
 * Returns a row of a series as an event: with the time of the point, and an id formed from the series and the time.
 */
function toEvent(holder: Event, fields: readonly string[], row: readonly unknown[]): Event {
  const { attachments: _files, content: _own, description: _text, duration: _length, ...rest } = holder
  const deltaTime = row[fields.indexOf(timeColumn)] as number
  const own = fields.filter(field => field !== timeColumn && field !== durationColumn)
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
    ...(duration !== undefined && { duration })
  }
}
