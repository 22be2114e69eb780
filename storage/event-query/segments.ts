/**
 * The parts of a query, one after the other in its order: events that begin within its times, and before them in time the
 * periods that began earlier but reach into them. (docs/spec/events.md#matching-times)
 */
import { listLanes, type Driver } from './drivers.js'
import type { LanePart } from './lanes.js'
import { nextDouble, type Order, type KeyRange } from './position.js'
import type { EventQuery } from './query.js'
import { getEarliestStart, runningClass, type DurationClasses } from './spans.js'

export interface Segment {
  readonly range: KeyRange
  /** Only periods: those that reach a time, or those that run. */
  readonly periods?: { readonly reaching: number } | 'running'
}

/** Lanes of periods by stream that are merged at most; beyond it all periods are looked at. */
const maxStreamSpanLanes = 64

export function splitIntoSegments({
  from = -Infinity,
  to = Infinity,
  isRunning,
  order
}: EventQuery): Segment[] {
  if (isRunning) return [{ range: range(-Infinity, to, order), periods: 'running' }]
  if (from > to) return []
  const within = { range: range(from, to, order) }
  if (from === -Infinity) return [within]
  const earlier = range(-Infinity, nextDouble(from, 'DESC'), order)
  const before = { range: earlier, periods: { reaching: from } }
  return order === 'ASC' ? [before, within] : [within, before]
}

/** What a segment reads, and the driver whose lanes these are, if any. */
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
        : clipRange(segment.range, getEarliestStart(span, periods.reaching), order)
    return listLanes(driver, trashed).map(({ values }) => ({
      lane: { kind: driver ? ('streamSpan' as const) : ('span' as const), values: [...values, span] },
      range: part
    }))
  })
  return { parts, driver }
}

function range(low: number, high: number, order: Order): KeyRange {
  return order === 'ASC' ? { start: low, end: high } : { start: high, end: low }
}

/** Without what lies before `low`. */
function clipRange({ start, end }: KeyRange, low: number, order: Order): KeyRange {
  return order === 'ASC' ? { start: Math.max(start, low), end } : { start, end: Math.max(end, low) }
}
