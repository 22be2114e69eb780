/** The map canvas with places and tracks, moved and zoomed by pointer, wheel and keys. */
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { PageContext } from '../../page-context.js'
import { toPlainText } from '../../plain-text.js'
import { Icon } from '../parts/icon.js'
import { readColours, drawScene, findTrackAt, type Scene } from './draw-scene.js'
import type { Backdrop } from './ground/backdrop.js'
import type { Track } from './read-tracks.js'
import { clampView, fitView, projectPlace, zoomView, type Point, type View } from './projection.js'

interface Props {
  readonly tracks: readonly Track[]
  /** Id of the selected event. */
  readonly chosen: string | undefined
  readonly onChoose: (id: string | undefined) => void
}

/** Pixels per arrow key press; zoom factor per step. */
const step = 60
const factor = 1.6
/** Maximum movement of a click, in pixels. */
const clickRange = 6

/** Draws tracks on a map that fits them until the user moves it. `onChoose` receives the id of a clicked event. */
export function MapCanvas({ tracks, chosen, onChoose }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [moved, setMoved] = useState<View>()
  const [scheme, setScheme] = useState(0)
  const fittedView = useMemo(
    () =>
      fitView(
        tracks
          .filter(({ event }) => chosen === undefined || event.id === chosen)
          .flatMap(({ fixes }) => fixes.map(projectPlace)),
        size.width,
        size.height
      ),
    [tracks, chosen, size]
  )
  // Fits the view to new tracks or another selection.
  useEffect(() => setMoved(undefined), [tracks, chosen])
  const view = moved ?? fittedView
  const [backdrop, backdropVersion] = useBackdrop()
  const world = useWorld()
  const scene: Scene = { tracks, chosen, view, ...size, backdrop, world }
  const latest = useRef(scene)
  latest.current = scene

  useEffect(() => {
    const element = canvas.current!
    const watch = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight })
    )
    watch.observe(element)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const version = (): void => setScheme(each => each + 1)
    dark.addEventListener('change', version)
    return () => {
      watch.disconnect()
      dark.removeEventListener('change', version)
    }
  }, [])
  useEffect(() => {
    const element = canvas.current!
    const { width, height } = size
    if (width === 0) return undefined
    const frame = requestAnimationFrame(() => {
      const ratio = devicePixelRatio
      element.width = Math.round(width * ratio)
      element.height = Math.round(height * ratio)
      const context = element.getContext('2d')!
      context.scale(ratio, ratio)
      drawScene(context, latest.current, readColours(element))
    })
    return () => cancelAnimationFrame(frame)
  }, [tracks, chosen, view, size, scheme, backdrop, backdropVersion, world])

  useGestures(canvas, latest, setMoved, at => onChoose(findTrackAt(latest.current, at)?.event.id))

  const zoom = (by: number): void =>
    setMoved(zoomView(view, by, { x: size.width / 2, y: size.height / 2 }, size.width, size.height))
  const move = (dx: number, dy: number): void =>
    setMoved(clampView({ ...view, x: view.x + dx / view.size, y: view.y + dy / view.size }))
  const moves: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => move(-step, 0),
    ArrowRight: () => move(step, 0),
    ArrowUp: () => move(0, -step),
    ArrowDown: () => move(0, step),
    '+': () => zoom(factor),
    '-': () => zoom(1 / factor)
  }
  const places = tracks.filter(({ fixes }) => fixes.length === 1).length
  return (
    <div class="chart">
      <canvas
        ref={canvas}
        role="img"
        tabIndex={0}
        aria-label={t('map.canvas', {
          tracks: t('map.trackCount', { count: tracks.length - places }),
          places: t('map.placeCount', { count: places })
        })}
        onKeyDown={event => {
          const act = moves[event.key]
          if (!act) return
          event.preventDefault()
          event.stopPropagation()
          act()
        }}
      />
      <div class="tools">
        <button type="button" class="square" aria-label={t('shell.zoomIn')} onClick={() => zoom(factor)}>
          <Icon name="plus" />
        </button>
        <button type="button" class="square" aria-label={t('shell.zoomOut')} onClick={() => zoom(1 / factor)}>
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="square"
          aria-label={t('map.fit')}
          onClick={() => (setMoved(undefined), onChoose(undefined))}
        >
          <Icon name="map" />
        </button>
      </div>
      {backdrop && backdrop.attribution !== '' && <p class="thanks">{toPlainText(backdrop.attribution)}</p>}
    </div>
  )
}

/** Returns the operator's map once it is loaded, if there is one; and a counter that increases when more of it can be drawn. */
function useBackdrop(): readonly [Backdrop | undefined, number] {
  const { hasMap } = useContext(PageContext).facts
  const [backdrop, setBackdrop] = useState<Backdrop>()
  const [version, setVersion] = useState(0)
  useEffect(() => {
    if (!hasMap) return undefined
    let isGone = false
    const read = async (): Promise<void> => {
      const { openBackdrop } = await import('./ground/backdrop.js')
      const opened = await openBackdrop(() => {
        if (!isGone) setVersion(each => each + 1)
      })
      if (!isGone) setBackdrop(opened)
    }
    // Without a map, a grid is drawn.
    read().catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [hasMap])
  return [backdrop, version]
}

/** Returns the land of the world once it is loaded, if the operator provides no map. */
function useWorld(): Scene['world'] {
  const { hasMap } = useContext(PageContext).facts
  const [world, setWorld] = useState<Scene['world']>()
  useEffect(() => {
    if (hasMap) return undefined
    let isGone = false
    // Without it, there is still a grid.
    import('./world.js').then(
      module => {
        if (!isGone) setWorld(module)
      },
      () => undefined
    )
    return () => {
      isGone = true
    }
  }, [hasMap])
  return world
}

/** Handles dragging, pinching and the wheel. `onPoint` is called for clicks. */
function useGestures(
  canvas: { readonly current: HTMLCanvasElement | null },
  latest: { readonly current: Scene },
  onMove: (view: View) => void,
  onPoint: (at: Point) => void
): void {
  const point = useRef(onPoint)
  point.current = onPoint
  useEffect(() => {
    const element = canvas.current!
    const pointers = new Map<number, Point>()
    let start: Point | undefined
    const at = (event: MouseEvent): Point => {
      const { left, top } = element.getBoundingClientRect()
      return { x: event.clientX - left, y: event.clientY - top }
    }
    const down = (event: PointerEvent): void => {
      element.setPointerCapture(event.pointerId)
      pointers.set(event.pointerId, at(event))
      start = pointers.size === 1 ? at(event) : undefined
    }
    const drag = (event: PointerEvent): void => {
      const before = pointers.get(event.pointerId)
      if (!before) return
      const now = at(event)
      const { view, width, height } = latest.current
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
      pointers.set(event.pointerId, now)
      if (start && Math.hypot(now.x - start.x, now.y - start.y) > clickRange) start = undefined
      if (other) {
        const by =
          Math.hypot(now.x - other.x, now.y - other.y) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y))
        onMove(zoomView(view, by, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }, width, height))
      } else if (!start)
        onMove(
          clampView({
            ...view,
            x: view.x - (now.x - before.x) / view.size,
            y: view.y - (now.y - before.y) / view.size
          })
        )
    }
    const up = (event: PointerEvent): void => {
      pointers.delete(event.pointerId)
      if (start && event.type === 'pointerup') point.current(start)
      start = undefined
    }
    const wheel = (event: WheelEvent): void => {
      event.preventDefault()
      const { view, width, height } = latest.current
      onMove(zoomView(view, 2 ** (-event.deltaY / 240), at(event), width, height))
    }
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', drag)
    element.addEventListener('pointerup', up)
    element.addEventListener('pointercancel', up)
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', drag)
      element.removeEventListener('pointerup', up)
      element.removeEventListener('pointercancel', up)
      element.removeEventListener('wheel', wheel)
    }
  }, [])
}
