/** Data of lanes. Times are in seconds. */

/** Aggregated numbers of one bucket of a time range. */
export interface Part {
  readonly time: number
  readonly count: number
  readonly min: number
  readonly max: number
  readonly mean: number
}

/** Numbers over time: a line with the band from min to max, or dots. */
export interface BandData {
  readonly kind: 'band'
  readonly parts: readonly Part[]
  /** Length of a part in seconds. */
  readonly step: number
  /** Whether values are totals, such as steps of a day, drawn as columns from zero. */
  readonly isAmount?: boolean
  /** The total of the latest day with data, whatever the view. */
  readonly latestDay?: DayTotal
}

/** The value of a day. */
export interface DayTotal {
  /** `2026-11-14`. */
  readonly day: string
  /** A sum, or seconds of sleep. */
  readonly value: number
}

/** Ranges from one value to another, such as blood pressure. */
export interface RangeData {
  readonly kind: 'pairs'
  readonly bars: readonly ValueBar[]
  /** Length of a part in seconds; 0 if each bar is one measurement. */
  readonly step: number
}

interface ValueBar {
  readonly time: number
  readonly low: number
  readonly high: number
  readonly count: number
}

/** Sleep stage: in bed, asleep in any stage, deep sleep, awake. */
export type SleepStage = 'bed' | 'asleep' | 'deep' | 'awake'

export interface SleepPeriod {
  readonly from: number
  readonly to: number
  readonly stage: SleepStage
}

export interface NightData {
  readonly kind: 'nights'
  readonly periods: readonly SleepPeriod[]
  /** Seconds asleep by the date on which the night ends, as the service counts them; without them, the periods are added. */
  readonly totals?: ReadonlyMap<string, number>
  /** The latest night, whatever the view. */
  readonly latestDay?: DayTotal
}

export type MarkIcon = 'note' | 'photo' | 'pin' | 'run' | 'file' | 'dot' | 'look' | 'add' | 'refused'

export interface Mark {
  readonly time: number
  readonly end: number
  readonly icon: MarkIcon
  readonly label: string
  /** CSS colour. Default: the colour of the lane. */
  readonly colour?: string
  /** Id of the event. */
  readonly id?: string
  /** Size from 0 to 1, for marks whose size has a meaning. */
  readonly weight?: number
}

export interface MarkData {
  readonly kind: 'marks'
  readonly marks: readonly Mark[]
}

/** Counts of events that are too many to show individually. */
export interface DensityData {
  readonly kind: 'heat'
  readonly parts: readonly { readonly time: number; readonly count: number }[]
  readonly step: number
}

export type LaneData = BandData | RangeData | NightData | MarkData | DensityData

/**
 * Returns the index of the first item at `time` or later, in items sorted by time; the number of items if all
 * are earlier.
 */
export function findIndexAt(items: readonly { readonly time: number }[], time: number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (items[middle]!.time < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the item nearest to a time, in items sorted by time. Undefined without items. */
export function findNearest<T extends { readonly time: number }>(
  items: readonly T[],
  time: number
): T | undefined {
  const at = findIndexAt(items, time)
  const [before, after] = [items[at - 1], items[at]]
  if (!before || !after) return before ?? after
  return time - before.time < after.time - time ? before : after
}
