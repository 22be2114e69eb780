/** Prepares canvases at the resolution of the screen, with the current colours of the page. */

interface Colours {
  /** Colour of the lane. */
  readonly own: string
  readonly ink: string
  readonly soft: string
  readonly sheet: string
  readonly hair: string
  readonly brass: string
  readonly brassInk: string
  readonly bad: string
}

/** A prepared canvas. Sizes are in CSS pixels. */
export interface Surface {
  readonly context: CanvasRenderingContext2D
  readonly width: number
  readonly height: number
  /** Width of the time axis; the rest is for value labels. */
  readonly plot: number
  readonly colours: Colours
  readonly font: string
}

/** Returns the width of value labels, in pixels. */
export function getGutter(width: number): number {
  return width < 420 ? 32 : 42
}

/** Clears a canvas and fits it to its container. Returns undefined while it has no size. */
export function prepareSurface(canvas: HTMLCanvasElement, hasGutter = true): Surface | undefined {
  const { clientHeight: height, clientWidth: width } = canvas
  const context = canvas.getContext('2d')
  if (!context || width === 0 || height === 0) return undefined
  const ratio = Math.min(3, devicePixelRatio || 1)
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)]
  // Setting a size reallocates the canvas, even if it is the same.
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns
    canvas.height = rows
  } else {
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, columns, rows)
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const plot = hasGutter ? width - getGutter(width) : width
  return { context, width, height, plot, colours: readColours(canvas), font: readFont(canvas) }
}

const colourCache = new WeakMap<Element, Colours>()
let font: string | undefined

/** Clears cached colours, when the colour scheme or the colour of a lane has changed. */
export function clearColourCache(canvas: Element): void {
  colourCache.delete(canvas)
}

/** Returns the colours of a canvas, cached. */
function readColours(canvas: Element): Colours {
  const cached = colourCache.get(canvas)
  if (cached) return cached
  // Reading styles forces the browser to compute them: once, not for each frame.
  const style = getComputedStyle(canvas)
  const read = (name: string): string => style.getPropertyValue(name).trim() || style.color
  const colours = {
    own: read('--c'),
    ink: read('--ink'),
    soft: read('--faint'),
    sheet: read('--sheet'),
    hair: read('--hair'),
    brass: read('--brass'),
    brassInk: read('--brass-ink'),
    bad: read('--bad')
  }
  colourCache.set(canvas, colours)
  return colours
}

function readFont(canvas: Element): string {
  font ??= getComputedStyle(canvas).fontFamily
  return font
}
