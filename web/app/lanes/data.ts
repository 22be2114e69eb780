/** What a lane draws. Times in seconds. */

/** A part of a range of times, and what the numbers in it come to. */
export interface Part {
  readonly time: number
  readonly count: number
  readonly min: number
  readonly max: number
  readonly mean: number
}

/** Numbers in time: a line over what lies between the least and the greatest, or single dots. */
export interface Band {
  readonly kind: 'band'
  readonly parts: readonly Part[]
  /** Length of a part. */
  readonly step: number
  /** Whether they are amounts that stand for themselves, such as steps of a day: columns from zero. */
  readonly isAmount?: boolean
}

/** From one value to another, such as blood pressure. */
export interface Pairs {
  readonly kind: 'pairs'
  readonly bars: readonly Bar[]
  /** Length of a part; 0 if each bar is a measurement of its own. */
  readonly step: number
}

export interface Bar {
  readonly time: number
  readonly low: number
  readonly high: number
  readonly count: number
}

/** How deep a sleep is; in bed, asleep in whatever stage, awake. */
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
  /** A CSS colour; that of the lane without it. */
  readonly colour?: string
  /** Of the event that it stands for. */
  readonly id?: string
  /** From 0 to 1, for marks whose size tells something. */
  readonly weight?: number
}

export interface Marks {
  readonly kind: 'marks'
  readonly marks: readonly Mark[]
}

/** Counts only: too many to show each. */
export interface Heat {
  readonly kind: 'heat'
  readonly parts: readonly { readonly time: number; readonly count: number }[]
  readonly step: number
}

export type LaneData = Band | Pairs | Nights | Marks | Heat

/** The index of the first item at `time` or later, in items that are in order of time. */
export function firstAt(items: readonly { readonly time: number }[], time: number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (items[middle]!.time < time) low = middle + 1
    else high = middle
  }
  return low
}

/** The item nearest to a time. */
export function nearest<T extends { readonly time: number }>(
  items: readonly T[],
  time: number
): T | undefined {
  const at = firstAt(items, time)
  const [before, after] = [items[at - 1], items[at]]
  if (!before || !after) return before ?? after
  return time - before.time < after.time - time ? before : after
}
