/** A lane on a canvas: redrawn when what it shows changes, at most once a frame. */
import { useEffect, useRef } from 'preact/hooks'
import { useStore, type Store } from '../data/store.js'
import { weekendsIn, type Zones } from './calendar.js'
import type { LaneData } from './data.js'
import { drawLane, type Span } from './draw.js'
import type { ValueRange } from './range.js'
import { lengthOf, type View } from './scale.js'
import { cleared, forgetColours, type Surface } from './surface.js'

/** Weekends are shown in views of so many seconds: less would be all of it, more hairlines. */
const weekendsFrom = 2 * 86_400
const weekendsUpTo = 100 * 86_400

/** Weekends in sight, where they help to find one's way. */
export function weekendsOf(view: View, zones: Zones): View[] {
  const length = lengthOf(view)
  return length >= weekendsFrom && length <= weekendsUpTo ? weekendsIn(view, zones) : []
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
  /** Without names of values, and without room for them. */
  readonly isPlain?: boolean
}

const noSpans: readonly Span[] = []

/** Fills its box. The picture says nothing by itself: what it shows has to stand beside it in words. */
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
      const seen = view.value
      const weekends = isPlain ? noSpans : weekendsOf(seen, zones)
      drawLane(surface, { view: seen, data, range, weekends, spans, isFirst, isPlain, zones, name })
    },
    view,
    [data, range, zones, spans, isFirst, name, colour],
    !isPlain
  )
  return <canvas ref={canvas} aria-hidden="true" style={{ '--c': colour }} />
}

/**
 * A canvas that is drawn when the view moves, when it changes its size or the page its colours, and when one of `inputs` changes.
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
  const later = useRef(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0
      const surface = canvas.current && cleared(canvas.current, hasGutter)
      if (surface) current.current(surface)
    })
  })
  useEffect(() => {
    if (canvas.current) forgetColours(canvas.current)
    later.current()
  }, inputs)
  useEffect(() => {
    const again = later.current
    const repaint = (): void => {
      if (canvas.current) forgetColours(canvas.current)
      again()
    }
    const schemes = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'].map(query =>
      matchMedia(query)
    )
    for (const scheme of schemes) scheme.addEventListener('change', repaint)
    const sizes = new ResizeObserver(again)
    sizes.observe(canvas.current!)
    const end = view.follow(again)
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

/** The view, for what is written rather than drawn. */
export function useView(view: Store<View>): View {
  return useStore(view)
}
