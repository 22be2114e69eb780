/** Calls of one access over time: lines are reads, dots are writes, crosses are denied calls. */
import { useEffect, useRef } from 'preact/hooks'
import type { Call } from '../data/calls.js'
import { listWeekendDays, type Range } from './spans.js'

interface Props {
  readonly calls: readonly Call[]
  readonly range: Range
  /** Label for screen readers. */
  readonly label: string
}

/** Draws the calls on a canvas, and again when its size or the colour scheme changes. */
export function CallLane({ calls, range, label }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current!
    const redraw = (): void => drawCalls(element, calls, range)
    const size = new ResizeObserver(redraw)
    size.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', redraw)
    redraw()
    return () => {
      size.disconnect()
      scheme.removeEventListener('change', redraw)
    }
  }, [calls, range.from, range.to])
  return (
    <figure class="calls" role="img" aria-label={label}>
      <canvas ref={canvas} />
    </figure>
  )
}

/** Minimum CSS pixels between separate marks. */
const markSpacing = 3
/** CSS pixels reserved at both ends, so that marks there are not clipped. The axis has the same inset. */
const inset = 6

interface Marks {
  looks: number
  adds: number
  refused: number
}

/** Draws the calls of a range: those close together as one, larger for more. */
function drawCalls(canvas: HTMLCanvasElement, calls: readonly Call[], range: Range): void {
  const { clientWidth: width, clientHeight: height } = canvas
  const scale = devicePixelRatio
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const context = canvas.getContext('2d')
  if (!context || width === 0) return
  context.scale(scale, scale)
  const style = getComputedStyle(canvas)
  const colour = (name: string): string => style.getPropertyValue(`--${name}`)
  const toX = (time: number): number =>
    inset + ((time - range.from) / (range.to - range.from)) * (width - 2 * inset)

  context.fillStyle = colour('band')
  for (const { from, to } of listWeekendDays(range))
    if (toX(to) - toX(from) > 3) context.fillRect(toX(from), 0, toX(to) - toX(from), height)
  const middle = height / 2
  context.fillStyle = colour('line')
  context.fillRect(0, Math.round(middle), width, 1)

  const places = [...groupByPosition(calls, toX)]
  context.fillStyle = colour('notes')
  for (const [x, { adds }] of places)
    if (adds > 0) drawDot(context, x, middle, Math.min(4.5, 2 + Math.log2(adds) / 2))
  context.strokeStyle = colour('weight')
  context.lineWidth = 2
  context.lineCap = 'round'
  for (const [x, { looks }] of places)
    if (looks > 0) drawStroke(context, x, middle, Math.min(height / 2 - 6, 6 + 3 * Math.log2(looks)))
  context.strokeStyle = colour('bad')
  for (const [x, { refused }] of places) if (refused > 0) drawCross(context, x, Math.max(9, middle - 24))
}

/** Groups calls by position. */
function groupByPosition(calls: readonly Call[], toX: (time: number) => number): Map<number, Marks> {
  const places = new Map<number, Marks>()
  for (const { kind, time } of calls) {
    if (kind === 'other') continue
    const x = Math.round(toX(time) / markSpacing) * markSpacing
    const marks = places.get(x) ?? { looks: 0, adds: 0, refused: 0 }
    marks[kind === 'look' ? 'looks' : kind === 'add' ? 'adds' : 'refused']++
    places.set(x, marks)
  }
  return places
}

function drawDot(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fill()
}

function drawStroke(context: CanvasRenderingContext2D, x: number, y: number, half: number): void {
  context.beginPath()
  context.moveTo(x, y - half)
  context.lineTo(x, y + half)
  context.stroke()
}

function drawCross(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath()
  for (const direction of [1, -1]) {
    context.moveTo(x - 4.5, y - 4.5 * direction)
    context.lineTo(x + 4.5, y + 4.5 * direction)
  }
  context.stroke()
}
