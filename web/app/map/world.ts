/** The land of the world, in a resolution for continents: where places are, if the operator provides no map. From Natural Earth. */
import atlas from 'world-atlas/land-110m.json'
import { projectPlace, toScreen, type View } from './projection.js'

interface Window {
  readonly view: View
  readonly width: number
  readonly height: number
}

interface LandColours {
  readonly land: string
  readonly water: string
  readonly line: string
  readonly dot: string
}

/** The part of a TopoJSON file that is read: https://github.com/topojson/topojson-specification */
interface Topology {
  readonly transform: {
    readonly scale: readonly [number, number]
    readonly translate: readonly [number, number]
  }
  /** Lines, each as a first point and the differences to the next ones. */
  readonly arcs: readonly (readonly (readonly [number, number])[])[]
  readonly objects: {
    readonly land: {
      readonly geometries: readonly {
        /** Polygons of rings of lines; `~index` is a line in the opposite direction. */
        readonly arcs: readonly (readonly (readonly number[])[])[]
      }[]
    }
  }
}

/** Width of the world in pixels from which coasts are too coarse to be drawn below places. */
const maxSize = 2 ** 14
/** Width of the world in the inset, and the inset's own size, in pixels. */
const insetWorld = 320
const [insetWidth, insetHeight] = [112, 80]
const margin = 12

let cachedLand: Path2D | undefined

/** Draws water and land. Does nothing where a place would be on the wrong side of a coast. */
export function drawLand(context: CanvasRenderingContext2D, window: Window, colours: LandColours): void {
  if (window.view.size > maxSize) return
  context.fillStyle = colours.water
  context.fillRect(0, 0, window.width, window.height)
  fillLand(context, window, colours)
}

/** Draws where in the world the window is, in its upper left corner, if it shows no coasts. */
export function drawInset(context: CanvasRenderingContext2D, { view }: Window, colours: LandColours): void {
  if (view.size <= maxSize) return
  context.save()
  context.translate(margin, margin)
  context.beginPath()
  context.roundRect(0, 0, insetWidth, insetHeight, 8)
  context.fillStyle = colours.water
  context.fill()
  context.save()
  context.clip()
  const half = insetHeight / 2 / insetWorld
  const window = {
    view: { x: view.x, y: Math.max(half, Math.min(view.y, 1 - half)), size: insetWorld },
    width: insetWidth,
    height: insetHeight
  }
  fillLand(context, window, colours)
  const { x, y } = toScreen(view, window.view, insetWidth, insetHeight)
  context.restore()
  context.strokeStyle = colours.line
  context.lineWidth = 1
  context.stroke()
  context.beginPath()
  context.arc(x, y, 4, 0, 2 * Math.PI)
  context.fillStyle = colours.dot
  context.fill()
  context.restore()
}

/** Fills the land, also beyond the date line. */
function fillLand(
  context: CanvasRenderingContext2D,
  { height, view, width }: Window,
  { land }: LandColours
): void {
  cachedLand ??= createLand(atlas as unknown as Topology)
  context.save()
  context.fillStyle = land
  const { x, y } = toScreen({ x: 0, y: 0 }, view, width, height)
  context.translate(x, y)
  context.scale(view.size, view.size)
  // The world repeats itself beyond the date line.
  for (const shift of [-1, 1, 1]) {
    context.translate(shift, 0)
    context.fill(cachedLand, 'evenodd')
  }
  context.restore()
}

/** Returns the outlines of all land, in coordinates of the projection. */
function createLand({ arcs, objects, transform }: Topology): Path2D {
  const lines = arcs.map(arc => {
    let [x, y] = [0, 0]
    return arc.map(([dx, dy]) => {
      x += dx
      y += dy
      return projectPlace({
        longitude: x * transform.scale[0] + transform.translate[0],
        latitude: y * transform.scale[1] + transform.translate[1]
      })
    })
  })
  const path = new Path2D()
  for (const ring of objects.land.geometries.flatMap(({ arcs: polygons }) => polygons.flat())) {
    const points = ring.flatMap(index => (index < 0 ? lines[~index]!.toReversed() : lines[index]!))
    let [before, turns] = [points[0]!.x, 0]
    for (const { x, y } of points) {
      // A line from one end of the map to the other crosses the date line: it goes on beyond the end.
      if (Math.abs(x - before) > 0.5) turns += x < before ? 1 : -1
      before = x
      path.lineTo(x + turns, y)
    }
    // Only Antarctica goes all the way around.
    if (turns !== 0) {
      path.lineTo(before + turns, 1)
      path.lineTo(points[0]!.x, 1)
    }
    path.closePath()
  }
  return path
}
