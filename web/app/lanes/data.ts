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
export interface Band {
  readonly kind: 'band'
  readonly parts: readonly Part[]
  /** Length of a part in seconds. */
  readonly step: number
  /** Whether values are totals, such as steps of a day, drawn as columns from zero. */
  readonly isAmount?: boolean
}

/** Ranges from one value to another, such as blood pressure. */
export interface Pairs {
  readonly kind: 'pairs'
  readonly bars: readonly Bar[]
  /** Length of a part in seconds; 0 if each bar is one measurement. */
  readonly step: number
}

interface Bar {
  readonly time: number
  readonly low: number
  readonly high: number
  readonly count: number
}

/** Sleep stage: in bed, asleep in any stage, deep sleep, awake. */
export type Depth = 'bed' | 'asleep' | 'deep' | 'awake'

export interface Stretch {
  readonly from: number
  readonly to: number
  readonly depth: Depth
}

export interface Nights {
  readonly kind: 'nights'
  readonly stretches: readonly Stretch[]
}

export type MarkIcon = 'note' | 'photo' | 'pin' | 'run' | 'file' | 'dot' | 'look' | 'add' | 'refused'

export interface Mark {
  readonly time: number
  readonly end: number
  readonly icon: MarkIcon
  readonly label: string
  /** CSS colour. Default: that of the lane. */
  readonly colour?: string
  /** Id of the event. */
  readonly id?: string
  /** Size from 0 to 1, for marks whose size has a meaning. */
  readonly weight?: number
}

export interface Marks {
  readonly kind: 'marks'
  readonly marks: readonly Mark[]
}

/** Counts of events that are too many to show individually. */
export interface Heat {
  readonly kind: 'heat'
  readonly parts: readonly { readonly time: number; readonly count: number }[]
  readonly step: number
}

export type LaneData = Band | Pairs | Nights | Marks | Heat

/** Returns the index of the first item at `time` or later, in items sorted by time. */
export function firstAt(items: readonly { readonly time: number }[], time: number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (items[middle]!.time < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the item nearest to a time, in items sorted by time. */
export function nearest<T extends { readonly time: number }>(
  items: readonly T[],
  time: number
): T | undefined {
  const at = firstAt(items, time)
  const [before, after] = [items[at - 1], items[at]]
  if (!before || !after) return before ?? after
  return time - before.time < after.time - time ? before : after
}
