/** The map canvas with places and tracks, moved and zoomed by pointer, wheel and keys. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { Icon } from '../parts/icon.js'
import { readColours, drawScene, findTrackAt, type Scene } from './draw-scene.js'
import type { Track } from './read-tracks.js'
import {
  clampView,
  fitView,
  type Place,
  type Point,
  projectPlace,
  toPlace,
  toScreen,
  type View,
  zoomView
} from './projection.js'
import './canvas.css'
import { useGestures } from './use-gestures.js'
import { useBackdrop, useWorld } from './use-ground.js'

interface Props {
  /** Describes the map and its keys to screen readers. */
  readonly label: string
  readonly tracks: readonly Track[]
  /** Id of the selected event. */
  readonly chosen?: string | undefined
  readonly onChoose?: (id: string | undefined) => void
  /** The map is for choosing a place: clicks set the pin, arrow keys move it. */
  readonly picking?: {
    /** The place shown at first. */
    readonly start: Place | undefined
    readonly place: Place | undefined
    readonly onPick: (place: Place) => void
  }
}

/** Pixels per arrow key press; zoom factor per step. */
const step = 60
const factor = 1.6
/** Pixels by which arrow keys move the pin; with Shift a pixel. */
const pinStep = 12

/** Draws tracks on a map that fits them until the user moves it. `onChoose` receives the id of a clicked event. */
export function MapCanvas({ label, tracks, chosen, onChoose, picking }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [moved, setMoved] = useState<View>()
  const [scheme, setScheme] = useState(0)
  const start = picking?.start
  const fittedView = useMemo(
    () =>
      fitView(
        [
          ...tracks
            .filter(({ event }) => chosen === undefined || event.id === chosen)
            .flatMap(({ fixes }) => fixes.map(projectPlace)),
          ...(start ? [projectPlace(start)] : [])
        ],
        size.width,
        size.height
      ),
    [tracks, chosen, start, size]
  )
  // Fits the view to new tracks or another selection.
  useEffect(() => setMoved(undefined), [tracks, chosen, start])
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

  const pick = (at: Point): void => picking?.onPick(toPlace(at, latest.current.view, size.width, size.height))
  useGestures(canvas, latest, setMoved, at =>
    picking ? pick(at) : onChoose?.(findTrackAt(latest.current, at)?.event.id)
  )

  const zoom = (by: number): void =>
    setMoved(zoomView(view, by, { x: size.width / 2, y: size.height / 2 }, size.width, size.height))
  const move = (dx: number, dy: number): void =>
    setMoved(clampView({ ...view, x: view.x + dx / view.size, y: view.y + dy / view.size }))
  const pin = picking?.place && toScreen(projectPlace(picking.place), view, size.width, size.height)
  /** Moves the map; or the pin, which the map follows at its edges. Without a pin, there is one in the middle then. */
  const press = (x: number, y: number, isFine: boolean): void => {
    if (!picking) return move(x * step, y * step)
    const by = isFine ? 1 : pinStep
    const at = pin
      ? { x: pin.x + x * by, y: pin.y + y * by }
      : { x: Math.round(size.width / 2), y: Math.round(size.height / 2) }
    pick(at)
    const isWithin = at.x > by && at.y > by && at.x < size.width - by && at.y < size.height - by
    if (!isWithin)
      setMoved(clampView({ ...projectPlace(toPlace(at, view, size.width, size.height)), size: view.size }))
  }
  const keys: Readonly<Record<string, (isFine: boolean) => void>> = {
    ArrowLeft: isFine => press(-1, 0, isFine),
    ArrowRight: isFine => press(1, 0, isFine),
    ArrowUp: isFine => press(0, -1, isFine),
    ArrowDown: isFine => press(0, 1, isFine),
    '+': () => zoom(factor),
    '-': () => zoom(1 / factor)
  }
  return (
    <div class="map-canvas">
      <canvas
        ref={canvas}
        role="img"
        tabIndex={0}
        aria-label={label}
        onKeyDown={event => {
          const act = keys[event.key]
          if (!act) return
          event.preventDefault()
          event.stopPropagation()
          act(event.shiftKey)
        }}
      />
      {pin && <MapPin at={pin} onDrag={pick} />}
      <div class="tools">
        <button type="button" class="square" aria-label={t('shell.zoomIn')} onClick={() => zoom(factor)}>
          <Icon name="plus" />
        </button>
        <button type="button" class="square" aria-label={t('shell.zoomOut')} onClick={() => zoom(1 / factor)}>
          <Icon name="minus" />
        </button>
        {onChoose && (
          <button
            type="button"
            class="square"
            aria-label={t('map.fit')}
            onClick={() => (setMoved(undefined), onChoose(undefined))}
          >
            <Icon name="map" />
          </button>
        )}
      </div>
      {backdrop && backdrop.attribution !== '' && <p class="thanks">{toPlainText(backdrop.attribution)}</p>}
    </div>
  )
}

interface PinProps {
  /** The tip of the pin, in pixels of the map. */
  readonly at: Point
  readonly onDrag: (to: Point) => void
}

/** Shows the pin at `at`, in pixels. Dragging calls `onDrag`; the pin itself moves only with `at`. */
function MapPin({ at, onDrag }: PinProps) {
  /** Distance of the pointer from the tip when dragging began. */
  const grip = useRef<Point>({ x: 0, y: 0 })
  return (
    <span
      class="pin"
      aria-hidden="true"
      style={{ left: `${at.x}px`, top: `${at.y}px` }}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        const pointer = toMap(event)
        grip.current = { x: at.x - pointer.x, y: at.y - pointer.y }
      }}
      onPointerMove={event => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
        const pointer = toMap(event)
        onDrag({ x: pointer.x + grip.current.x, y: pointer.y + grip.current.y })
      }}
    >
      <Icon name="pin" />
    </span>
  )
}

/** Returns the position of a pointer on the map around the pin. */
function toMap({ clientX, clientY, currentTarget }: PointerEvent): Point {
  const { left, top } = (currentTarget as Element).parentElement!.getBoundingClientRect()
  return { x: clientX - left, y: clientY - top }
}
