/** Draws a lane: background, data, value labels. */
import { drawBand } from './draw-band.js'
import { drawDensity, drawMarks } from './draw-marks.js'
import { drawNights, getNightRange } from './draw-nights.js'
import { drawRanges } from './draw-ranges.js'
import type { Zones } from './calendar.js'
import type { LaneData } from './lane-data.js'
import type { ValueRange } from './value-range.js'
import { toX, type View } from './view.js'
import { createValueScale, type ValueScale } from './value-scale.js'
import type { Surface } from './surface.js'
import { createValueTicks } from './ticks.js'

/** A named period, drawn behind all lanes. */
export interface Span extends View {
  readonly label: string
  readonly id?: string
}

interface LaneDrawing {
  readonly view: View
  readonly data: LaneData | undefined
  readonly range: ValueRange | undefined
  readonly weekends: readonly View[]
  readonly spans: readonly Span[]
  /** Whether this is the first lane, which shows the names of spans. */
  readonly isFirst: boolean
  /** Hides grid lines and value labels. */
  readonly isPlain?: boolean
  readonly zones: Zones
  /** Formats a value of the axis. */
  readonly name: (value: number) => string
}

/** Draws a lane; only its background while its data have not been read. */
export function drawLane(surface: Surface, picture: LaneDrawing): void {
  drawBackground(surface, picture)
  const { data, range } = picture
  if (!data) return
  const { context, plot, height } = surface
  context.save()
  context.beginPath()
  context.rect(0, 0, plot + 1, height)
  context.clip()
  const y = createValueScale(surface, range, picture.isFirst)
  const drawsLabels = picture.isPlain !== true
  if (range && drawsLabels) drawLines(surface, range, y, false, picture.name)
  if (data.kind === 'band') drawBand(surface, picture.view, data, y)
  else if (data.kind === 'pairs') drawRanges(surface, picture.view, data, y)
  else if (data.kind === 'nights') drawNights(surface, picture.view, data, picture.zones)
  else if (data.kind === 'marks') drawMarks(surface, picture.view, data)
  else drawDensity(surface, picture.view, data)
  context.restore()
  if (range && drawsLabels) drawLines(surface, range, y, true, picture.name)
  if (data.kind === 'nights' && drawsLabels) drawHourLabels(surface, picture)
}

/** Draws weekends and marked periods behind a lane; the first lane also has the labels of the periods. */
function drawBackground(
  { colours, context, font, height, plot }: Surface,
  { isFirst, spans, view, weekends }: LaneDrawing
): void {
  context.fillStyle = colours.ink
  context.globalAlpha = 0.035
  for (const { from, to } of weekends) fillBetween(from, to)
  context.fillStyle = colours.brass
  context.globalAlpha = 0.14
  for (const { from, to } of spans) fillBetween(from, to)
  context.globalAlpha = 1
  if (!isFirst) return
  context.fillStyle = colours.brassInk
  context.font = `600 11px ${font}`
  context.textAlign = 'center'
  context.textBaseline = 'alphabetic'
  for (const { from, label, to } of spans) {
    const [left, right] = [Math.max(0, toX(from, view, plot)), Math.min(plot, toX(to, view, plot))]
    if (right - left > 24)
      context.fillText(truncateToWidth(context, label, right - left - 4), (left + right) / 2, 17)
  }

  function fillBetween(from: number, to: number): void {
    const left = Math.max(0, toX(from, view, plot))
    const right = Math.min(plot, toX(to, view, plot))
    if (right > left) context.fillRect(left, 0, right - left, height)
  }
}

function truncateToWidth(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text
  let kept = text
  while (kept.length > 1 && context.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1)
  return `${kept}…`
}

/** Draws grid lines at round values, or their labels beside the plot. */
function drawLines(
  surface: Surface,
  range: ValueRange,
  y: ValueScale,
  drawsLabels: boolean,
  name: (value: number) => string
): void {
  const { colours, context, height, plot } = surface
  const maxTicks = Math.max(2, Math.floor(height / 30))
  for (const value of createValueTicks(range.low, range.high, maxTicks)) {
    const at = Math.round(y(value)) + 0.5
    if (at < 4 || at > height - 3) continue
    if (drawsLabels) drawLabel(surface, name(value), plot + 7, at)
    else {
      context.strokeStyle = colours.hair
      context.lineWidth = 1
      context.beginPath()
      context.moveTo(0, at)
      context.lineTo(plot, at)
      context.stroke()
    }
  }
}

function drawHourLabels(surface: Surface, { data, view, zones }: LaneDrawing): void {
  if (data?.kind !== 'nights') return
  const range = getNightRange(data, view, zones)
  if (!range) return
  for (const { text, y } of range.hours(surface.height)) drawLabel(surface, text, surface.plot + 7, y)
}

/** Draws a value label, condensed if necessary: a truncated number would be misread. */
function drawLabel({ colours, context, font, width }: Surface, text: string, x: number, y: number): void {
  context.fillStyle = colours.soft
  context.font = `450 11px ${font}`
  context.textAlign = 'left'
  context.textBaseline = 'middle'
  context.fillText(text, x, y, width - x)
}
