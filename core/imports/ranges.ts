/** Notes which points an import has written, so that they can be told from those of others. */
import type { ImportAttempt, ImportRange } from '../../storage/imports/import-repository.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Row } from '../../storage/series/rows.js'

/** Chunks that a range may lie in: its points were written at once, but others may have come in between. */
const mostChunks = 256

/** Adds the range of points that have just been written among others. `stored`: those that were there, ascending. */
export function noteRange(
  { imports, series }: UserStore,
  event: number,
  fresh: readonly Row[],
  stored: readonly Row[],
  by: ImportAttempt
): void {
  const [first, last] = [fresh[0]![0], fresh.at(-1)![0]]
  const times = fresh.map(([time]) => time)
  for (const range of imports.listRangesWithin(event, first, last)) {
    if (range.times || !times.some(time => time > range.first && time < range.last)) continue
    // It had no others in between until now.
    const own = new Set(times)
    const rows = series.readWithin(event, range.first, range.last, mostChunks) ?? []
    imports.setRangeTimes(
      range.number,
      rows.flatMap(([time]) => (own.has(time) ? [] : [time]))
    )
  }
  const isMixed = stored.some(([time]) => time > first && time < last)
  imports.addRange({ ...by, event, first, last, count: fresh.length, times: isMixed ? times : null })
}

/** Tells which deltaTimes lie in ranges. */
export function within(ranges: readonly ImportRange[]): (time: number) => ImportRange | undefined {
  const listed = ranges.map(range => ({ range, times: range.times && new Set(range.times) }))
  return time =>
    listed.find(
      ({ range, times }) => range.first <= time && time <= range.last && (times === null || times.has(time))
    )?.range
}

/** The deltaTimes of a range that are there and its own; `undefined` if others have come in between that cannot be told apart. */
export function ownTimes(
  { series }: UserStore,
  { count, event, first, last, times }: ImportRange
): Set<number> | undefined {
  if (times) return new Set(times)
  const rows = series.readWithin(event, first, last, mostChunks)
  return rows && rows.length <= count ? new Set(rows.map(([time]) => time)) : undefined
}
