/** Navigates through time by pointer and keys: drag, wheel, pinch, arrows, plus and minus. */
import { getLength, toTime } from '../lanes/view.js'
import { getGutter } from '../lanes/surface.js'
import type { TimelineModel } from './model.js'

/** Maximum movement of a click, in pixels. */
const clickRange = 4
/** Zoom per pixel of the wheel. */
const zoomPerPixel = 0.0022

interface Pointer {
  x: number
  readonly startX: number
  readonly lane: string | undefined
}

/**
 * Handles pointers and the wheel over the figures of an element: moving and zooming the view, and placing the
 * cursor. Returns a function that stops it.
 */
export function handlePointers(sheet: HTMLElement, model: TimelineModel): () => void {
  const pointers = new Map<number, Pointer>()
  let isDragging = false
  const getPlotBox = (): { left: number; width: number } => {
    const figure = sheet.querySelector('figure')!
    const { left, width } = figure.getBoundingClientRect()
    return { left, width: width - getGutter(width) }
  }
  const getTime = (x: number): number => {
    const { left, width } = getPlotBox()
    return toTime(x - left, model.view.value, width)
  }

  const down = (event: PointerEvent): void => {
    const figure = findFigure(event)
    if (!figure || event.button !== 0 || (event.target as Element).closest('button, a, [role="slider"]'))
      return
    pointers.set(event.pointerId, { x: event.clientX, startX: event.clientX, lane: figure.dataset['lane'] })
    if (pointers.size > 1) isDragging = true
  }
  const move = (event: PointerEvent): void => {
    const pointer = pointers.get(event.pointerId)
    if (!pointer) {
      if (event.pointerType === 'mouse' && event.buttons === 0)
        model.hover.set(findFigure(event) ? clampToView(getTime(event.clientX)) : undefined)
      return
    }
    if (!isDragging && Math.abs(event.clientX - pointer.startX) <= clickRange) return
    if (!isDragging) {
      isDragging = true
      sheet.classList.add('dragging')
    }
    // Captured only once the pointer moves, so that clicks on links still work.
    if (!sheet.hasPointerCapture(event.pointerId)) sheet.setPointerCapture(event.pointerId)
    model.hover.set(undefined)
    const other = Array.from(pointers.values()).find(each => each !== pointer)
    if (other) pinch(pointer, other, event.clientX)
    else model.pan((-(event.clientX - pointer.x) / getPlotBox().width) * getLength(model.view.value))
    pointer.x = event.clientX
  }
  const pinch = (pointer: Pointer, other: Pointer, x: number): void => {
    const before = Math.max(20, Math.abs(pointer.x - other.x))
    const after = Math.max(20, Math.abs(x - other.x))
    model.zoom(before / after, getTime(other.x))
  }
  const up = (event: PointerEvent): void => {
    const pointer = pointers.get(event.pointerId)
    pointers.delete(event.pointerId)
    if (!pointer) return
    if (!isDragging && event.type === 'pointerup')
      model.place(clampToView(getTime(event.clientX)), pointer.lane)
    if (pointers.size > 0) return
    isDragging = false
    sheet.classList.remove('dragging')
  }
  const leave = (): void => model.hover.set(undefined)
  const wheel = (event: WheelEvent): void => {
    if (!findFigure(event)) return
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    // The wheel scrolls the page until the lanes have the focus.
    const isIntended = event.ctrlKey || event.metaKey || sheet.contains(document.activeElement)
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault()
      model.pan(((event.deltaX * pixels) / getPlotBox().width) * getLength(model.view.value))
    } else if (isIntended) {
      event.preventDefault()
      model.zoom(
        Math.exp(event.deltaY * pixels * zoomPerPixel * (event.ctrlKey && event.deltaMode === 0 ? 3 : 1)),
        getTime(event.clientX)
      )
    }
  }
  const clampToView = (time: number): number =>
    Math.min(model.view.value.to, Math.max(model.view.value.from, time))

  sheet.addEventListener('pointerdown', down)
  sheet.addEventListener('pointermove', move)
  sheet.addEventListener('pointerup', up)
  sheet.addEventListener('pointercancel', up)
  sheet.addEventListener('pointerleave', leave)
  sheet.addEventListener('wheel', wheel, { passive: false })
  return () => {
    sheet.removeEventListener('pointerdown', down)
    sheet.removeEventListener('pointermove', move)
    sheet.removeEventListener('pointerup', up)
    sheet.removeEventListener('pointercancel', up)
    sheet.removeEventListener('pointerleave', leave)
    sheet.removeEventListener('wheel', wheel)
  }
}

function findFigure(event: Event): HTMLElement | null {
  return (event.target as Element).closest<HTMLElement>('figure')
}

/** Handles keys that move the cursor and the view, unless another control handles them. Returns a function that stops it. */
export function handleKeys(model: TimelineModel): () => void {
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const target = event.target as Element
    if (
      target.closest('input, textarea, select, dialog, [contenteditable], .menu, [role="slider"]:not(.flag)')
    )
      return
    const { from, to } = model.view.value
    const step = (getLength({ from, to }) / 200) * (event.shiftKey ? 10 : 1)
    if (event.key === 'ArrowLeft') moveCursor(model, -step)
    else if (event.key === 'ArrowRight') moveCursor(model, step)
    else if (event.key === '+' || event.key === '=') model.zoom(1 / 1.6)
    else if (event.key === '-' || event.key === '−') model.zoom(1.6)
    else if (target.closest('.flag') && event.key === 'Home') model.place(from)
    else if (target.closest('.flag') && event.key === 'End') model.place(to)
    else if (target.closest('.flag') && event.key === 'PageUp') model.pan(from - to)
    else if (target.closest('.flag') && event.key === 'PageDown') model.pan(to - from)
    else return
    event.preventDefault()
  }
  addEventListener('keydown', press)
  return () => removeEventListener('keydown', press)
}

/** Moves the cursor; at the edge, the view moves with it. */
function moveCursor(model: TimelineModel, seconds: number): void {
  const next = model.placedCursor + seconds
  const { from, to } = model.view.value
  if (next < from || next > to) model.pan(seconds * 20)
  model.at.set(next)
}
