/**
 * The parts of a query, in its order: events that begin within its time range, and earlier periods that reach into it.
 * (docs/spec/events.md#matching-times)
 */
import { listLanes, type Driver } from './drivers.js'
import type { LanePart } from './lanes.js'
import { nextDouble, type Order, type KeyRange } from './position.js'
import type { EventQuery } from './query.js'
import { getEarliestStart, runningClass, type DurationClasses } from './spans.js'

/** A part of a query's range. */
export interface Segment {
  readonly range: KeyRange
  /** Restricts to periods: those that reach a time, or those without an end. */
  readonly periods?: { readonly reachingTime: number } | 'running'
}

/** Maximum number of lanes of periods by stream that are merged; beyond it all periods are examined. */
const maxStreamSpanLanes = 64

/**
 * Splits a query into its segments, in its order: one if it has no start or is for running events, none if its range is
 * empty.
 */
export function splitIntoSegments({
  from = -Infinity,
  to = Infinity,
  isRunning,
  order
}: EventQuery): Segment[] {
  if (isRunning) return [{ range: toKeyRange(-Infinity, to, order), periods: 'running' }]
  if (from > to) return []
  const within: Segment = { range: toKeyRange(from, to, order) }
  if (from === -Infinity) return [within]
  const earlier = toKeyRange(-Infinity, nextDouble(from, 'DESC'), order)
  const before: Segment = { range: earlier, periods: { reachingTime: from } }
  return order === 'ASC' ? [before, within] : [within, before]
}

/**
 * Lists the lanes of a segment, and the driver that they come from, if any. That is `chosen`; for earlier periods it is the
 * first of `drivers` by stream that has few enough streams.
 */
export function listSegmentLanes(
  segment: Segment,
  chosen: Driver | undefined,
  drivers: readonly Driver[],
  { trashed, order }: EventQuery,
  durationClasses: DurationClasses
): { parts: LanePart[]; driver: Driver | undefined } {
  const { periods } = segment
  if (!periods)
    return {
      parts: listLanes(chosen, trashed).map(lane => ({ lane, range: segment.range })),
      driver: chosen
    }
  const classes = periods === 'running' ? [runningClass] : durationClasses.list()
  const maxStreams = maxStreamSpanLanes / Math.max(classes.length * trashed.length, 1)
  const driver = drivers.find(({ kind, values }) => kind === 'stream' && values.length <= maxStreams)
  const parts = classes.flatMap(span => {
    const part =
      periods === 'running'
        ? segment.range
        : clipRange(segment.range, getEarliestStart(span, periods.reachingTime), order)
    return listLanes(driver, trashed).map(({ values }) => ({
      lane: { kind: driver ? ('streamSpan' as const) : ('span' as const), values: [...values, span] },
      range: part
    }))
  })
  return { parts, driver }
}

function toKeyRange(low: number, high: number, order: Order): KeyRange {
  return order === 'ASC' ? { start: low, end: high } : { start: high, end: low }
}

/** Removes what lies before `low`. */
function clipRange({ start, end }: KeyRange, low: number, order: Order): KeyRange {
  return order === 'ASC' ? { start: Math.max(start, low), end } : { start, end: Math.max(end, low) }
}
