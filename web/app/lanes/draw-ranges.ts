/** Draws ranges of values, such as blood pressure. */
import { findIndexAt, type RangeData } from './lane-data.js'
import type { ValueScale } from './value-scale.js'
import { toX, type View } from './view.js'
import type { Surface } from './surface.js'

/** Draws the ranges within a view as bars; nothing if there are none. `y` converts values to heights. */
export function drawRanges(
  { colours, context, plot }: Surface,
  view: View,
  { bars, step }: RangeData,
  y: ValueScale
): void {
  const half = step / 2
  const from = Math.max(0, findIndexAt(bars, view.from - step) - 1)
  const to = Math.min(bars.length, findIndexAt(bars, view.to) + 1)
  if (to <= from) return
  const spacing = plot / Math.max(1, to - from)
  const width = Math.max(1.5, Math.min(plot < 420 ? 4 : 6, spacing * 0.6))
  context.strokeStyle = colours.own
  context.fillStyle = colours.own
  context.lineWidth = width
  context.lineCap = 'round'
  context.globalAlpha = 0.34
  context.beginPath()
  for (let at = from; at < to; at++) {
    const { high, low, time } = bars[at]!
    const x = toX(time + half, view, plot)
    context.moveTo(x, y(high))
    context.lineTo(x, y(low))
  }
  context.stroke()
  context.lineCap = 'butt'
  context.globalAlpha = 1
  const size = Math.max(1, Math.min(plot < 420 ? 2 : 2.6, width / 2))
  context.beginPath()
  for (let at = from; at < to; at++) {
    const { high, low, time } = bars[at]!
    const x = toX(time + half, view, plot)
    for (const value of [high, low]) {
      context.moveTo(x + size, y(value))
      context.arc(x, y(value), size, 0, 2 * Math.PI)
    }
  }
  context.fill()
}
