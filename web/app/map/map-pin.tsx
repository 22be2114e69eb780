/** The pin on a map where a place is chosen; it can be dragged. Arrow keys on the map move it, too. */
import { useRef } from 'preact/hooks'
import { Icon } from '../parts/icon.js'
import type { Point } from './projection.js'

interface Props {
  /** The tip of the pin, in pixels of the map. */
  readonly at: Point
  readonly onDrag: (to: Point) => void
}

/** Shows the pin at `at`, in pixels. Dragging calls `onDrag`; the pin itself moves only with `at`. */
export function MapPin({ at, onDrag }: Props) {
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
