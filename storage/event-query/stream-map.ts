/**
 * Conditions on streams as a bit map that SQLite reads by itself: calling a registered function costs as much as
 * reading the row. Decides on events in a single stream, which are the majority.
 */
import { createRowTest, type EventQuery, type StreamsCriteria } from './query.js'

type Criteria = readonly StreamsCriteria[]

/** Number of streams that a map has room for, one byte each. */
const maxStreams = 4096
/** Number of queries for which the map is not used after it has found too few rows. */
const pausedQueries = 50

const maps = new WeakMap<Criteria, Buffer | undefined>()

/** Number of coming queries without a map, by their criteria, which are the same object for all queries of a caller. */
const pauses = new WeakMap<Criteria, number>()

/** SQL that is true if a row's single stream meets the criteria; its parameter is the map. */
export const isOnMap = "stream > 0 AND substr(?, stream + 1, 1) = x'01'"

/**
 * Returns the map of a query; `undefined` if its criteria are of another kind, or if the map is paused
 * ({@link pauseStreamMap}). A query during a pause shortens the pause by one.
 */
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

/** Disables the map for a while because few of the rows read have matched. */
export function pauseStreamMap({ streams }: Pick<EventQuery, 'streams'>): void {
  if (streams) pauses.set(streams, pausedQueries)
}

/**
 * Returns a byte for each stream, by number: 1 if events in that stream match. `undefined` if the streams are not given
 * one by one, or are too many for a map.
 */
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
