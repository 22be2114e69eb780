/** Draws events as icons on the time axis, or their density if there are too many. */
import { drawGlyph } from './glyphs.js'
import type { DensityData, Mark, MarkIcon, MarkData } from './lane-data.js'
import { mergeMarks } from './merge-marks.js'
import { getLength, toX, type View } from './view.js'
import type { Surface } from './surface.js'

/** Minimum pixels between the centres of two marks. */
const markGap = 22

/** Pixels that icons need on both sides, with the count of merged marks. Other marks are narrow, and stay at their time. */
const iconInset = 15
const wideIcons = new Set<MarkIcon>(['photo', 'run', 'note', 'file', 'pin'])

/** Minimum pixels per mark; with fewer, the density is drawn. */
const minPixelsPerMark = 5

/** Draws the marks within a view as icons; as their density if there is too little room. */
export function drawMarks(surface: Surface, view: View, { marks }: MarkData): void {
  const { colours, context, height, plot } = surface
  const middle = Math.round(height / 2)
  context.strokeStyle = colours.hair
  context.lineWidth = 1
  context.beginPath()
  context.moveTo(0, middle + 0.5)
  context.lineTo(plot, middle + 0.5)
  context.stroke()
  const visible = marks.filter(({ end, time }) => end >= view.from && time <= view.to)
  if (visible.length > plot / minPixelsPerMark)
    return drawDensity(surface, view, countMarks(visible, view, plot))
  drawDurations(surface, view, visible, middle)
  const beginning = visible.filter(({ time }) => time >= view.from)
  const inset = beginning.some(({ icon }) => wideIcons.has(icon)) ? iconInset : 0
  for (const { marks: own, x } of mergeMarks(beginning, view, plot, { gap: markGap, inset })) {
    const { colour, icon, weight } = own.reduce((best, mark) =>
      getPriority(mark) < getPriority(best) ? mark : best
    )
    drawGlyph(surface, icon, x, middle, colour ?? colours.own, weight)
    if (own.length > 1) drawCount(surface, x + 8, middle - 9, own.length)
  }
}

/** Counts marks per four pixels. */
function countMarks(marks: readonly Mark[], view: View, plot: number): DensityData {
  const step = (getLength(view) / plot) * 4
  const counts = new Map<number, number>()
  for (const { time } of marks) {
    const begin = Math.floor(time / step) * step
    counts.set(begin, (counts.get(begin) ?? 0) + 1)
  }
  return { kind: 'heat', step, parts: Array.from(counts, ([time, count]) => ({ time, count })) }
}

/** Icons by priority, for merged marks. */
const iconsByPriority: readonly MarkIcon[] = [
  'refused',
  'photo',
  'run',
  'note',
  'file',
  'pin',
  'look',
  'add',
  'dot'
]
/** Returns the rank of a mark: marks that are merged into one are drawn with the icon of the lowest rank. */
function getPriority({ icon }: Mark): number {
  return iconsByPriority.indexOf(icon)
}

/** Draws durations, where they are wide enough to be seen. */
function drawDurations(
  { colours, context, plot }: Surface,
  view: View,
  marks: readonly Mark[],
  middle: number
): void {
  context.lineCap = 'round'
  context.lineWidth = 5
  context.globalAlpha = 0.3
  for (const { colour, end, time } of marks) {
    const [left, right] = [toX(time, view, plot), toX(end, view, plot)]
    if (right - left < 8) continue
    context.strokeStyle = colour ?? colours.own
    context.beginPath()
    context.moveTo(Math.max(-9, left), middle)
    context.lineTo(Math.min(plot + 9, right), middle)
    context.stroke()
  }
  context.lineCap = 'butt'
  context.globalAlpha = 1
}

/** Draws the number of marks, at most 99, around a point. */
function drawCount({ colours, context, font }: Surface, x: number, y: number, count: number): void {
  const text = count > 99 ? '99+' : String(count)
  context.font = `650 9.5px ${font}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  const width = Math.max(14, context.measureText(text).width + 7)
  context.fillStyle = colours.ink
  context.beginPath()
  context.roundRect(x - width / 2, y - 7, width, 14, 7)
  context.fill()
  context.fillStyle = colours.sheet
  context.fillText(text, x, y + 0.5)
}

/** Draws density: more events are darker. */
export function drawDensity(
  { colours, context, height, plot }: Surface,
  view: View,
  { parts, step }: DensityData
): void {
  const maxCount = parts.reduce((max, { count }) => Math.max(max, count), 1)
  const barHeight = Math.min(30, height - 16)
  const top = Math.round((height - barHeight) / 2)
  context.fillStyle = colours.own
  for (const { count, time } of parts) {
    const [left, right] = [toX(time, view, plot), toX(time + step, view, plot)]
    if (right < 0 || left > plot) continue
    context.globalAlpha = 0.18 + 0.72 * Math.sqrt(count / maxCount)
    context.fillRect(left, top, Math.max(1, right - left - (right - left > 3 ? 1 : 0)), barHeight)
  }
  context.globalAlpha = 1
}
