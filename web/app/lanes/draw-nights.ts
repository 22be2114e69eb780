/** Draws nights as columns by hour of day; in views of a few days, sleep periods along the time axis. */
import { groupNights, getNightHour } from './nights.js'
import type { Zones } from './calendar.js'
import type { SleepStage, NightData } from './lane-data.js'
import { getLength, toX, type View } from './view.js'
import type { Surface } from './surface.js'

const day = 86_400
/** Minimum days for columns. */
const minDaysForColumns = 4
const opacities: Readonly<Record<SleepStage, number>> = { bed: 0.22, asleep: 0.4, deep: 0.95, awake: 0 }
/** Heights of sleep stages along the time axis, from the bottom, as shares of the lane. */
const levels: Readonly<Record<SleepStage, number>> = { bed: 0.1, awake: 0.72, asleep: 0.5, deep: 0.22 }

interface NightRange {
  /** Labels of hours, and their y positions in pixels. */
  hours(height: number): { readonly text: string; readonly y: number }[]
  y(hour: number, height: number): number
}

/** Returns the range of hours covered by the nights of a view; undefined if they are drawn along the time axis. */
export function getNightRange(data: NightData, view: View, zones: Zones): NightRange | undefined {
  if (getLength(view) < minDaysForColumns * day) return undefined
  const nights = groupNights(data, zones)
  const visible = nights.filter(({ time }) => time > view.from - day && time < view.to + day)
  const used = visible.length > 0 ? visible : nights
  // Quantiles, so that one unusual night does not compress all others.
  const low = Math.floor(
    computeQuantile(
      used.map(({ bed }) => bed),
      0.03
    ) - 0.4
  )
  const high = Math.ceil(
    computeQuantile(
      used.map(({ up }) => up),
      0.97
    ) + 0.4
  )
  if (!Number.isFinite(low) || !Number.isFinite(high)) return undefined
  const y = (hour: number, height: number): number =>
    8 + ((hour - low) / Math.max(1, high - low)) * (height - 16)
  const step = high - low > 16 ? 6 : 4
  return {
    y,
    hours: height =>
      Array.from({ length: 24 }, (_, at) => 2 + at * step)
        .filter(hour => hour > low && hour < high)
        .map(hour => ({ text: `${String(hour % 24).padStart(2, '0')} h`, y: y(hour, height) }))
  }
}

function computeQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((dayWidth, b) => dayWidth - b)
  return sorted[Math.round(share * (sorted.length - 1))] ?? NaN
}

/** Draws nights as columns by hour, or along the time axis in a view of a few days. */
export function drawNights(surface: Surface, view: View, data: NightData, zones: Zones): void {
  const range = getNightRange(data, view, zones)
  if (range) drawColumns(surface, view, data, zones, range)
  else drawAlongTime(surface, view, data)
}

/** Draws a column for each night, by hour of day. Being awake is a gap. */
function drawColumns(
  { colours, context, height, plot }: Surface,
  view: View,
  data: NightData,
  zones: Zones,
  range: NightRange
): void {
  const dayWidth = (day / getLength(view)) * plot
  const width = Math.max(1, Math.min(18, dayWidth * 0.5))
  context.strokeStyle = colours.hair
  context.lineWidth = 1
  for (const { y } of range.hours(height)) {
    context.beginPath()
    context.moveTo(0, Math.round(y) + 0.5)
    context.lineTo(plot, Math.round(y) + 0.5)
    context.stroke()
  }
  for (const { periods, time, zone } of groupNights(data, zones)) {
    const x = toX(time, view, plot) - width / 2
    if (x < -width || x > plot) continue
    const bar = (from: number, to: number, depth: SleepStage): void => {
      const top = range.y(getNightHour(from, zone, time), height)
      const end = range.y(getNightHour(to, zone, time), height)
      if (depth === 'awake') {
        // Being awake is drawn as a gap in the column.
        if (width < 4) return
        context.globalAlpha = 1
        context.fillStyle = colours.sheet
        context.fillRect(x - 0.5, top, width + 1, Math.max(1.5, end - top))
        return
      }
      context.fillStyle = colours.own
      context.globalAlpha = opacities[depth]
      context.beginPath()
      context.roundRect(
        x,
        top,
        width,
        Math.max(1, end - top),
        depth === 'asleep' && periods.length > 1 ? 0 : Math.min(3, width / 2)
      )
      context.fill()
    }
    const isPlain = periods.length === 1
    for (const { stage, from, to } of sortForDrawing(periods)) bar(from, to, isPlain ? 'asleep' : stage)
  }
  context.globalAlpha = 1
}

/** Sorts periods so that time in bed is drawn below the others. */
function sortForDrawing(stretches: NightData['periods']): NightData['periods'] {
  return stretches.toSorted((one, other) => Number(other.stage === 'bed') - Number(one.stage === 'bed'))
}

/** Draws periods of sleep where they are on the time axis, at heights by stage. */
function drawAlongTime(
  { colours, context, height, plot }: Surface,
  view: View,
  { periods }: NightData
): void {
  context.fillStyle = colours.own
  for (const { stage, from, to } of sortForDrawing(periods)) {
    const [left, right] = [toX(from, view, plot), toX(to, view, plot)]
    if (right < 0 || left > plot) continue
    const isBed = stage === 'bed'
    context.globalAlpha = isBed ? 0.16 : stage === 'deep' ? 0.95 : 0.5
    const top = isBed ? height * 0.14 : height * (1 - levels[stage]) - height * 0.11
    context.beginPath()
    context.roundRect(left, top, Math.max(1.5, right - left), isBed ? height * 0.76 : height * 0.2, 3)
    context.fill()
  }
  context.globalAlpha = 1
}
