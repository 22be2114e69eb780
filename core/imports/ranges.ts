/** Records which points an import has written, to distinguish them from those of others. */
import type { ImportAttempt, ImportRange } from '../../storage/imports/import-repository.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Row } from '../../storage/series/rows.js'

/** Maximum number of chunks in a range: its points were written together, but others may have been added in between. */
const maxChunks = 256

/** The points that an import has just written, and those that existed in their range, both ascending. */
interface WrittenPoints {
  readonly attempt: ImportAttempt
  readonly fresh: readonly Row[]
  readonly stored: readonly Row[]
}

/**
 * Records the range of points that have just been written. Earlier ranges that it splits, and the range itself if it
 * contains other points, get a list of the times of their own points.
 */
export function recordRange(
  { imports, series }: UserStore,
  event: number,
  { attempt: by, fresh, stored }: WrittenPoints
): void {
  const [first, last] = [fresh[0]![0], fresh.at(-1)![0]]
  const times = fresh.map(([time]) => time)
  for (const range of imports.listRangesWithin(event, first, last)) {
    if (range.times || !times.some(time => time > range.first && time < range.last)) continue
    // Until now, the range had no other points in between.
    const own = new Set(times)
    const rows = series.readWithin(event, range.first, range.last, maxChunks) ?? []
    imports.setRangeTimes(
      range.number,
      rows.flatMap(([time]) => (own.has(time) ? [] : [time]))
    )
  }
  const isMixed = stored.some(([time]) => time > first && time < last)
  imports.addRange({ ...by, event, first, last, count: fresh.length, times: isMixed ? times : null })
}

/** Creates a function that finds the range of a deltaTime. */
export function createRangeFinder(ranges: readonly ImportRange[]): (time: number) => ImportRange | undefined {
  const listed = ranges.map(range => ({ range, times: range.times && new Set(range.times) }))
  return time =>
    listed.find(
      ({ range, times }) => range.first <= time && time <= range.last && (times === null || times.has(time))
    )?.range
}

/** Returns the deltaTimes of the existing points of a range; `undefined` if points of others in between cannot be distinguished. */
export function listOwnTimes(
  { series }: UserStore,
  { count, event, first, last, times }: ImportRange
): Set<number> | undefined {
  if (times) return new Set(times)
  const rows = series.readWithin(event, first, last, maxChunks)
  return rows && rows.length <= count ? new Set(rows.map(([time]) => time)) : undefined
}
