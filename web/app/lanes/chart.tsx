/** A lane on a canvas, redrawn when its inputs change, at most once per frame. */
import { useEffect, useRef } from 'preact/hooks'
import type { Store } from '../data/store.js'
import { listWeekends, type Zones } from './calendar.js'
import type { LaneData } from './lane-data.js'
import { drawLane, type Span } from './draw-lane.js'
import type { ValueRange } from './value-range.js'
import { getLength, type View } from './view.js'
import { prepareSurface, clearColourCache, type Surface } from './surface.js'

/** Lengths of views, in seconds, in which weekends are shown: not when they fill most of the view or become hairlines. */
const minWeekendView = 2 * 86_400
const maxWeekendView = 100 * 86_400

/** Returns the weekends of a view; none if the view is too short or too long to show them. */
export function getShownWeekends(view: View, zones: Zones): View[] {
  const length = getLength(view)
  return length >= minWeekendView && length <= maxWeekendView ? listWeekends(view, zones) : []
}

interface Props {
  readonly view: Store<View>
  readonly data: LaneData | undefined
  readonly range: ValueRange | undefined
  readonly colour: string
  readonly zones: Zones
  readonly spans?: readonly Span[]
  readonly isFirst?: boolean
  readonly name?: (value: number) => string
  /** Hides value labels and the space for them. */
  readonly isPlain?: boolean
}

const noSpans: readonly Span[] = []

/** Renders a lane; fills its container. Hidden from screen readers: describe its contents in text beside it. */
export function LaneChart({
  view,
  data,
  range,
  colour,
  zones,
  spans = noSpans,
  isFirst = false,
  name = String,
  isPlain = false
}: Props) {
  const canvas = useCanvas(
    surface => {
      const current = view.value
      const weekends = isPlain ? noSpans : getShownWeekends(current, zones)
      drawLane(surface, { view: current, data, range, weekends, spans, isFirst, isPlain, zones, name })
    },
    view,
    [data, range, zones, spans, isFirst, name, colour],
    !isPlain
  )
  return <canvas ref={canvas} aria-hidden="true" style={{ '--c': colour }} />
}

/**
 * Draws a canvas when the view, its size, the colour scheme or one of `inputs` changes. Returns the reference
 * for the canvas.
 */
export function useCanvas(
  draw: (surface: Surface) => void,
  view: Store<View>,
  inputs: readonly unknown[],
  hasGutter = true
) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const current = useRef(draw)
  current.current = draw
  const frame = useRef(0)
  const schedule = useRef(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0
      const surface = canvas.current && prepareSurface(canvas.current, hasGutter)
      if (surface) current.current(surface)
    })
  })
  useEffect(() => {
    if (canvas.current) clearColourCache(canvas.current)
    schedule.current()
  }, inputs)
  useEffect(() => {
    const redraw = schedule.current
    const repaint = (): void => {
      if (canvas.current) clearColourCache(canvas.current)
      redraw()
    }
    const schemes = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'].map(query =>
      matchMedia(query)
    )
    for (const scheme of schemes) scheme.addEventListener('change', repaint)
    const sizes = new ResizeObserver(redraw)
    sizes.observe(canvas.current!)
    const end = view.follow(redraw)
    return () => {
      end()
      sizes.disconnect()
      for (const scheme of schemes) scheme.removeEventListener('change', repaint)
      cancelAnimationFrame(frame.current)
      frame.current = 0
    }
  }, [view])
  return canvas
}
