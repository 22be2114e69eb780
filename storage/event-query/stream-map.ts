/**
 * Criteria on streams as a map that SQLite looks numbers up in by itself: asking a function of ours costs as much as
 * reading the row. It decides on events in one stream, by far the most.
 */
import { createRowTest, type EventQuery, type StreamsCriteria } from './query.js'

type Criteria = readonly StreamsCriteria[]

/** Numbers of streams that a map has room for, a byte each. */
const maxStreams = 4096
/** For how many queries nothing is tried after it has found too little. */
const pausedQueries = 50

const maps = new WeakMap<Criteria, Buffer | undefined>()

/** Queries to come that are not tried, by their criteria, which are the same for all queries of a caller. */
const pauses = new WeakMap<Criteria, number>()

/** Whether a row's single stream meets the criteria; to be used in SQL with a map as its parameter. */
export const isOnMap = "stream > 0 AND substr(?, stream + 1, 1) = x'01'"

/** The map of a query; `undefined` if its criteria are of another kind, or match too few of the rows in its way. */
export function getStreamMap({ streams, types }: Pick<EventQuery, 'streams' | 'types'>): Buffer | undefined {
  if (!streams || types) return undefined
  const remaining = pauses.get(streams)
  if (remaining !== undefined) {
    if (remaining > 0) pauses.set(streams, remaining - 1)
    else pauses.delete(streams)
    return undefined
  }
  if (!maps.has(streams)) maps.set(streams, buildStreamMap(streams))
  return maps.get(streams)
}

/** Notes that few of the rows in its way have matched. */
export function pauseStreamMap({ streams }: Pick<EventQuery, 'streams'>): void {
  if (streams) pauses.set(streams, pausedQueries)
}

function buildStreamMap(streams: Criteria): Buffer | undefined {
  const { matches } = createRowTest({ streams, types: undefined })!
  const map = Buffer.alloc(maxStreams)
  let greatest = 0
  for (const { any } of streams) {
    if (!any) return undefined
    for (const number of any) {
      if (number >= maxStreams) return undefined
      if (number > 0 && matches(number, null, 0)) map[number] = 1
      if (number > greatest) greatest = number
    }
  }
  return Buffer.from(map.subarray(0, greatest + 1))
}
