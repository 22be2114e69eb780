/** The labels of a time axis: which of those that would overlap are shown. */
import { formatTime } from '../parts/format-time.js'
import type { Tick } from './ticks.js'

interface Label {
  readonly text: string
  readonly isStrong: boolean
  /** Centre and width, in pixels. */
  readonly x: number
  readonly width: number
}

interface Axis {
  /** Width of the axis in pixels. */
  readonly plot: number
  /** Returns the position of a time in pixels. */
  readonly toX: (time: number) => number
  /** Returns the width of a label in pixels. */
  readonly measure: (text: string, isStrong: boolean) => number
}

/** Minimum pixels between labels. */
const gap = 6

/**
 * Returns the labels of ticks, from left to right. Of labels that would overlap, those with a day, a month or a year are kept. The first
 * day of a view names its month if there is space.
 */
export function placeLabels(ticks: readonly Tick[], axis: Axis): Label[] {
  const placed: Label[] = []
  const place = (label: Label): boolean => {
    const isFree = placed.every(other => Math.abs(other.x - label.x) >= (other.width + label.width) / 2 + gap)
    if (isFree) placed.push(label)
    return isFree
  }
  const [first] = ticks
  for (const tick of ticks) if (tick.isStrong) place(createLabel(tick, true, axis))
  const isNamed = first?.unit === 'day' && !first.isStrong && place(createLabel(first, true, axis))
  for (const tick of ticks)
    if (!tick.isStrong && !(isNamed && tick === first)) place(createLabel(tick, false, axis))
  return placed.toSorted((one, other) => one.x - other.x)
}

function createLabel(tick: Tick, isStrong: boolean, { measure, plot, toX }: Axis): Label {
  const text = formatTick(tick, isStrong)
  const width = measure(text, isStrong)
  return { text, isStrong, width, x: Math.max(width / 2 + 2, Math.min(plot - width / 2, toX(tick.time))) }
}

/** Formats a tick. `isStrong` ticks also say the day or the year, since the others do not. */
function formatTick({ time, unit, zone }: Tick, isStrong: boolean): string {
  const timeZone = zone
  if (unit === 'year') return formatTime(time, { year: 'numeric', timeZone })
  if (unit === 'month')
    return formatTime(time, isStrong ? { year: 'numeric', timeZone } : { month: 'short', timeZone })
  if (unit === 'day')
    return formatTime(
      time,
      isStrong ? { day: 'numeric', month: 'short', timeZone } : { day: 'numeric', timeZone }
    )
  if (isStrong) return formatTime(time, { day: 'numeric', month: 'short', timeZone })
  return formatTime(time, {
    hour: '2-digit',
    minute: '2-digit',
    ...(unit === 'second' ? { second: '2-digit' } : {}),
    timeZone
  })
}
