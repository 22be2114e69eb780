/** Data points of series as objects. (docs/spec/series.md) */
import type { Params } from './calls.js'
import type { CallOptions, Coffer } from './coffer.js'
import type { Cell, FlatPoints } from './flat-points.js'
import { readList, type ListOptions } from './lists.js'
import { toQueryString } from './query-string.js'

/**
 * A data point: `deltaTime` in seconds since the `time` of the event that holds the series, and a value for each field of its
 * type.
 */
export type Point<Values extends object = Readonly<Record<string, Cell>>> = {
  readonly deltaTime: number
} & Values

/** Maximum points per call. */
const maxPoints = 10_000

/**
 * Adds points to a series. All points must have the fields of the first point; existing points with the same
 * time are overwritten. Long lists are sent in several calls; `onProgress` is called with the number of points
 * written, and the total. Without points, nothing is sent. If a call fails, this rejects, and the points of
 * earlier calls stay.
 */
export async function addPoints(
  coffer: Coffer,
  eventId: string,
  points: readonly Point[],
  { onProgress, signal }: CallOptions & { onProgress?: (done: number, total: number) => void } = {}
): Promise<void> {
  for (let from = 0; from < points.length; from += maxPoints) {
    const chunk = points.slice(from, from + maxPoints)
    await coffer.call('hfs.add', { id: eventId, ...flatPoints(chunk) }, { signal })
    onProgress?.(from + chunk.length, points.length)
  }
}

/** Converts points to the wire format, with the fields of the first point. A missing value becomes `null`. */
export function flatPoints(points: readonly Point[]): FlatPoints {
  const fields = Object.keys(points[0] ?? {})
  return {
    format: 'flatJSON',
    fields,
    points: points.map(point => fields.map(name => (point as Readonly<Record<string, Cell>>)[name] ?? null))
  }
}

/** Converts the rows of a response to points. `Values` are the fields of the type, such as `{value: number}`. */
export function pointsIn<Values extends object = Readonly<Record<string, Cell>>>({
  fields,
  points
}: {
  readonly fields: readonly string[]
  readonly points: readonly (readonly unknown[])[]
}): Point<Values>[] {
  return points.map(cells => toPoint<Values>(fields, cells))
}

/**
 * Yields the points of a series in the order of `hfs.get`, without keeping all points in memory. Rejects with
 * a `CofferError`, also if the response is incomplete. The request is sent, and errors are thrown, when the
 * first point is read, not by this call.
 */
export async function* readPoints<Values extends object = Readonly<Record<string, Cell>>>(
  coffer: Coffer,
  eventId: string,
  params: Omit<Params<'hfs.get'>, 'id'> = {},
  options: ListOptions = {}
): AsyncGenerator<Point<Values>, void> {
  const path = `events/${encodeURIComponent(eventId)}/series${toQueryString(params)}`
  let fields: readonly string[] | undefined
  // `fields` precedes `points` in the response.
  const onHead = (head: string): void => {
    fields = (JSON.parse(`${head}]}`) as { fields: readonly string[] }).fields
  }
  for await (const cells of readList<readonly unknown[]>(coffer, path, 'points', { ...options, onHead }))
    yield toPoint<Values>(fields!, cells)
}

function toPoint<Values extends object>(fields: readonly string[], cells: readonly unknown[]): Point<Values> {
  return Object.fromEntries(fields.map((name, index) => [name, cells[index]])) as Point<Values>
}
