/**
 * Points of series as another server answers them. Servers without series, and answers that are no points, are no fault: such points are
 * not copied. (docs/api/mirrors.md#points-and-files)
 */
import type { Points } from '../../storage/repositories/series.js'
import type { Range } from '../../storage/series/page.js'
import { runInTurns } from '../../storage/steps.js'
import { ApiError } from '../errors.js'
import { timeColumn, timestampColumn, type ColumnPlan } from '../series/column-plan.js'
import { readPoints } from '../series/flat-json.js'
import type { CopyContext } from './copy-context.js'
import { toError } from './peer-answers.js'

/** Maximum length of an answer with points, in bytes. */
const maxBytes = 1024 * 1024

/** The other server has no points here, or none that can be copied. */
export class PointsUnavailable extends Error {}

/** A holder event at the other server. */
export interface RemoteHolder {
  /** Its id there. */
  readonly remoteId: string
  /** In seconds. */
  readonly time: number
  readonly plan: ColumnPlan
}

/** A page of points. */
export interface PointsPage {
  readonly points: Points
  /** Whether there may be more in the range. */
  readonly isFull: boolean
}

/** Counts, and figures by field (`value.min`), of the points of a bucket. */
export interface BucketSummary {
  readonly count: number
  readonly figures: ReadonlyMap<string, number>
}

/**
 * Reads the first points of a range, or with `sortAscending: false` the last, up to about a number of them. Rejects with
 * `PointsUnavailable`, with `PageTooLong`, or with `PeerFailed` if it may succeed later.
 */
export async function readPeerPoints(
  context: CopyContext,
  { plan, remoteId, time }: RemoteHolder,
  { from, to }: Range,
  query: { readonly limit: number; readonly sortAscending?: false }
): Promise<PointsPage> {
  const { fields, rows } = await readRows(context, remoteId, { from, to }, query)
  const known = fields.map(name => name === timeColumn || name === timestampColumn || plan.has(name))
  const isKnown = known.every(Boolean)
  const data = {
    format: 'flatJSON',
    fields: fields.filter((_, index) => known[index]),
    // Another server's type may have further columns.
    points: isKnown
      ? rows
      : rows.map(row => (Array.isArray(row) ? row.filter((_, index) => known[index]) : row))
  }
  const points = rows.length === 0 ? { columns: [], rows: [] } : await parse(data, plan, time)
  const [first, last] = [points.rows[0]?.[0] ?? from, points.rows.at(-1)?.[0] ?? from]
  if (first < from || last >= to) throw new PointsUnavailable('points outside of the range')
  return { points, isFull: rows.length === query.limit }
}

async function parse(data: object, plan: ColumnPlan, time: number): Promise<Points> {
  try {
    return await runInTurns(readPoints(data, plan, time, { isCopy: true }))
  } catch (error) {
    if (error instanceof ApiError) throw new PointsUnavailable(error.message, { cause: error })
    throw error
  }
}

/**
 * Reads summaries of equal buckets of a range, by their number; `undefined` if the other server has none. The range has to be within its
 * points, or the buckets are others. Rejects as {@link readPeerPoints} does.
 */
export async function readPeerSummaries(
  context: CopyContext,
  { remoteId }: RemoteHolder,
  { from, to }: Range,
  buckets: number
): Promise<ReadonlyMap<number, BucketSummary> | undefined> {
  const query = { sample: buckets, summary: true }
  const { fields, rows } = await readRows(context, remoteId, { from, to }, query)
  if (rows.length === 0) return new Map()
  if (fields[0] !== timeColumn || fields[1] !== 'count' || rows.length > buckets + 1) return undefined
  return parseSummaries(fields, rows, { from, to }, buckets)
}

/** Returns summaries by the number of their bucket. Throws `PointsUnavailable`. */
export function parseSummaries(
  fields: readonly string[],
  rows: readonly unknown[],
  { from, to }: Range,
  buckets: number
): ReadonlyMap<number, BucketSummary> {
  const found = new Map<number, BucketSummary>()
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== fields.length)
      throw new PointsUnavailable('a row has the wrong width')
    const [start, count] = row as unknown[]
    if (typeof start !== 'number' || typeof count !== 'number')
      throw new PointsUnavailable('a summary has no count')
    const figures = new Map<string, number>()
    for (let at = 2; at < fields.length; at++) {
      const value: unknown = row[at]
      if (typeof value === 'number') figures.set(fields[at]!, value)
    }
    found.set(Math.round(((start - from) / (to - from)) * buckets), { count, figures })
  }
  return found
}

/** Asks for points: their fields and rows, which are not checked. */
async function readRows(
  { endpoint, peers }: CopyContext,
  id: string,
  { from, to }: Range,
  query: object
): Promise<{ readonly fields: readonly string[]; readonly rows: readonly unknown[] }> {
  const params = { id, fromDeltaTime: from, toDeltaTime: to, resolution: 'ns', ...query }
  const answer = await peers.call(endpoint, 'hfs.get', params, maxBytes)
  if (answer.status !== 200) throw toError(answer)
  const { fields, points } = answer.body
  if (!Array.isArray(fields) || !fields.every(name => typeof name === 'string') || !Array.isArray(points))
    throw new PointsUnavailable('no points')
  return { fields, rows: points }
}
