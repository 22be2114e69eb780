/** Moves and zooms a map by pointer and wheel. */
import { useEffect, useRef } from 'preact/hooks'
import type { Scene } from './draw-scene.js'
import { clampView, zoomView, type Point, type View } from './projection.js'

/** Maximum movement of a click, in pixels. */
const clickRange = 6

/** Handles dragging, pinching and the wheel. `onPoint` is called for clicks. */
export function useGestures(
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
