/** Web Mercator projection, to coordinates from 0 to 1, west to east and north to south. */

export interface Place {
  readonly latitude: number
  readonly longitude: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** A view of the map: its centre, and the width of the whole world in pixels. */
export interface View extends Point {
  readonly size: number
}

/** Maximum absolute latitude. */
const maxLatitude = 85.05
const earthRadius = 6_371_008.8
/** Length of the equator in metres. */
const equatorLength = 40_075_016.7
/** Minimum and maximum width of the world in pixels. */
const minSize = 256
const maxSize = 2 ** 34

/** Projects a place to the unit square; latitudes near the poles are limited. */
export function projectPlace({ latitude, longitude }: Place): Point {
  const clamped = Math.max(-maxLatitude, Math.min(latitude, maxLatitude))
  const sine = Math.sin((clamped * Math.PI) / 180)
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) }
}

/**
 * Returns the view that shows all points in a window, with a margin; at least some hundred metres wide.
 * Without points, shows the whole world.
 */
export function fitView(points: readonly Point[], width: number, height: number): View {
  if (points.length === 0) return { x: 0.5, y: 0.5, size: Math.max(width, minSize) }
  let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const { x, y } of points) {
    west = Math.min(west, x)
    east = Math.max(east, x)
    north = Math.min(north, y)
    south = Math.max(south, y)
  }
  const margin = 0.84
  const size = Math.min(
    (width * margin) / Math.max(east - west, 1e-5),
    (height * margin) / Math.max(south - north, 1e-5)
  )
  return clampView({ x: (west + east) / 2, y: (north + south) / 2, size })
}

/** Limits a view to the world and to permitted sizes. */
export function clampView({ x, y, size }: View): View {
  return {
    x: Math.max(0, Math.min(x, 1)),
    y: Math.max(0, Math.min(y, 1)),
    size: Math.max(minSize, Math.min(size, maxSize))
  }
}

/** Returns the position of a point in a window, in pixels. */
export function toScreen({ x, y }: Point, view: View, width: number, height: number): Point {
  return { x: (x - view.x) * view.size + width / 2, y: (y - view.y) * view.size + height / 2 }
}

/** Returns the place at a position in a window, in degrees with six decimals: a tenth of a metre. */
export function toPlace(at: Point, view: View, width: number, height: number): Place {
  const x = view.x + (at.x - width / 2) / view.size
  const y = Math.max(0, Math.min(view.y + (at.y - height / 2) / view.size, 1))
  const latitude = (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI
  const longitude = (x - Math.floor(x)) * 360 - 180
  return { latitude: Number(latitude.toFixed(6)), longitude: Number(longitude.toFixed(6)) }
}

/** Zooms by a factor around a point of the window. Limited to the world and to permitted sizes. */
export function zoomView(view: View, factor: number, at: Point, width: number, height: number): View {
  const { size } = clampView({ ...view, size: view.size * factor })
  const [dx, dy] = [at.x - width / 2, at.y - height / 2]
  return clampView({ x: view.x + dx / view.size - dx / size, y: view.y + dy / view.size - dy / size, size })
}

/** Returns the metres per pixel at the centre of a view. */
export function getMetresPerPixel({ y, size }: View): number {
  const latitude = Math.atan(Math.sinh(Math.PI * (1 - 2 * y)))
  return (equatorLength * Math.cos(latitude)) / size
}

/** Returns the metres between two places. */
export function measureDistance(a: Place, b: Place): number {
  const radians = Math.PI / 180
  const [from, to] = [a.latitude * radians, b.latitude * radians]
  const sine =
    Math.sin((to - from) / 2) ** 2 +
    Math.cos(from) * Math.cos(to) * Math.sin(((b.longitude - a.longitude) * radians) / 2) ** 2
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(sine)))
}

/** Returns a round length in metres that is at most `maxPixels` pixels wide. */
export function chooseScaleLength(maxPixels: number, perPixel: number): number {
  const maxLength = maxPixels * perPixel
  const power = 10 ** Math.floor(Math.log10(maxLength))
  return [5, 2, 1].map(step => step * power).find(length => length <= maxLength) ?? power
}
