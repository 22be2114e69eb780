/** Draws numbers over time: the mean as a line over the band from min to max, or dots if there are few values. */
import { findIndexAt, type BandData, type Part } from './lane-data.js'
import type { ValueScale } from './value-scale.js'
import { toX, type View } from './view.js'
import type { Surface } from './surface.js'

/** Minimum pixels between dots. */
const dotSpacing = 5
/** Smoothing window of the line through dots, as a share of the view. */
const smoothing = 0.22

/** Draws totals as columns, sparse values as dots, and anything else as a line. */
export function drawBand(surface: Surface, view: View, band: BandData, y: ValueScale): void {
  const { parts, step } = band
  const first = Math.max(0, findIndexAt(parts, view.from - step) - 1)
  const last = Math.min(parts.length, findIndexAt(parts, view.to) + 1)
  if (last <= first) return
  const visible = parts.slice(first, last)
  if (band.isAmount === true) drawColumns(surface, view, band, visible, y)
  else if (isSparse(visible, view, surface.plot)) drawDots(surface, view, visible, step, y)
  else drawLine(surface, view, visible, step, y)
}

/**
 * Returns whether values are drawn as dots: most parts have one value, and there is space for the dots. Also
 * true for a single value.
 */
export function isSparse(parts: readonly Part[], view: View, plot: number): boolean {
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  if (parts.length < 2) return count < 2
  const length = parts.at(-1)!.time - parts[0]!.time
  const pixels = (length / (view.to - view.from)) * plot
  return count < parts.length * 1.3 && pixels / Math.max(1, parts.length - 1) >= dotSpacing
}

/** Returns the longest gap that a line bridges, in seconds: several times the median. */
export function getMaxGap(parts: readonly { readonly time: number }[], step: number): number {
  return Math.max(step * 2.5, (getMedianGap(parts) ?? 0) * 4)
}

/** Returns the median time between parts, in seconds; undefined for fewer than two. */
function getMedianGap(parts: readonly { readonly time: number }[]): number | undefined {
  const gaps = parts
    .slice(1)
    .map((part, at) => part.time - parts[at]!.time)
    .toSorted((a, b) => a - b)
  return gaps[Math.floor(gaps.length / 2)]
}

/** Draws the mean as a line over the band, interrupted at gaps. `step`: seconds of a part. */
function drawLine(
  { colours, context, plot }: Surface,
  view: View,
  parts: readonly Part[],
  step: number,
  y: ValueScale
): void {
  const maxGap = getMaxGap(parts, step)
  const half = step / 2
  const x = (time: number): number => toX(time + half, view, plot)
  context.fillStyle = colours.own
  context.strokeStyle = colours.own
  context.lineJoin = 'round'
  context.lineWidth = plot < 420 ? 1 : 1.3
  for (const run of splitRuns(parts, maxGap)) {
    context.globalAlpha = 0.26
    context.beginPath()
    // Extends half a part on both sides, so that a single part has a width.
    context.moveTo(toX(run[0]!.time, view, plot), y(run[0]!.max))
    for (const part of run) context.lineTo(x(part.time), y(part.max))
    context.lineTo(toX(run.at(-1)!.time + step, view, plot), y(run.at(-1)!.max))
    context.lineTo(toX(run.at(-1)!.time + step, view, plot), y(run.at(-1)!.min))
    for (let at = run.length - 1; at >= 0; at--) context.lineTo(x(run[at]!.time), y(run[at]!.min))
    context.lineTo(toX(run[0]!.time, view, plot), y(run[0]!.min))
    context.closePath()
    context.fill()
    context.globalAlpha = 1
    context.beginPath()
    context.moveTo(toX(run[0]!.time, view, plot), y(run[0]!.mean))
    for (const part of run) context.lineTo(x(part.time), y(part.mean))
    context.lineTo(toX(run.at(-1)!.time + step, view, plot), y(run.at(-1)!.mean))
    context.stroke()
  }
}

/** Splits parts into runs without long gaps. */
function splitRuns(parts: readonly Part[], maxGap: number): Part[][] {
  const runs: Part[][] = []
  let last: Part | undefined
  for (const part of parts) {
    if (last && part.time - last.time <= maxGap) runs.at(-1)!.push(part)
    else runs.push([part])
    last = part
  }
  return runs
}

/** Draws each part as a dot, over a smoothed line. `step`: seconds of a part. */
function drawDots(
  { colours, context, plot }: Surface,
  view: View,
  parts: readonly Part[],
  step: number,
  y: ValueScale
): void {
  const x = (time: number): number => toX(time + step / 2, view, plot)
  const window = (view.to - view.from) * smoothing
  context.strokeStyle = colours.own
  context.lineJoin = 'round'
  context.lineCap = 'round'
  context.lineWidth = 2.25
  for (const run of splitRuns(parts, getMaxGap(parts, step) * 2)) {
    context.beginPath()
    for (const { mean, time } of smooth(run, window)) context.lineTo(x(time), y(mean))
    context.stroke()
  }
  context.lineCap = 'butt'
  context.fillStyle = colours.sheet
  context.lineWidth = 1.4
  const size = plot < 420 ? 2.2 : 2.5
  for (const { mean, time } of parts) {
    context.beginPath()
    context.arc(x(time), y(mean), size, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
  }
}

/** Returns the moving average of parts over a window in seconds. */
function smooth(parts: readonly Part[], window: number): { time: number; mean: number }[] {
  let [from, to, sum] = [0, 0, 0]
  return parts.map(({ time }) => {
    while (to < parts.length && parts[to]!.time <= time + window / 2) sum += parts[to++]!.mean
    while (parts[from]!.time < time - window / 2) sum -= parts[from++]!.mean
    return { time, mean: sum / (to - from) }
  })
}

/** Draws totals as columns from zero, as wide as the interval between them. */
function drawColumns(
  { colours, context, plot }: Surface,
  view: View,
  { step }: BandData,
  parts: readonly Part[],
  y: ValueScale
): void {
  const median = getMedianGap(parts) ?? (view.to - view.from) / 40
  const width = Math.max(1, Math.min(26, (median / (view.to - view.from)) * plot * 0.62))
  const shift = median > step * 1.5 ? median / 2 : step / 2
  context.fillStyle = colours.own
  context.globalAlpha = 0.62
  const zero = y(0)
  context.beginPath()
  for (const { mean, time } of parts) {
    const x = toX(time + shift, view, plot) - width / 2
    context.roundRect(x, y(mean), width, Math.max(1, zero - y(mean)), [
      Math.min(3, width / 2),
      Math.min(3, width / 2),
      0,
      0
    ])
  }
  context.fill()
  context.globalAlpha = 1
}
