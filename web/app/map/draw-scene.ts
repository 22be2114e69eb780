/** Draws places and tracks on the land of the world and a grid, or on the operator's map. No third party is contacted, so locations stay private. */
import { getLocale } from '../../language.js'
import type { Backdrop } from './ground/backdrop.js'
import type * as World from './world.js'
import { maxGap, type Fix, type Track } from './read-tracks.js'
import {
  getMetresPerPixel,
  toScreen,
  projectPlace,
  chooseScaleLength,
  type Point,
  type View
} from './projection.js'

export interface Scene {
  readonly tracks: readonly Track[]
  /** Id of the selected event. */
  readonly chosen: string | undefined
  readonly view: View
  readonly width: number
  readonly height: number
  /** Replaces the grid. */
  readonly backdrop?: Backdrop | undefined
  /** The land of the world, once it is loaded, if there is no backdrop. */
  readonly world?: typeof World | undefined
}

/** Colours of the page, read once for each drawing. */
type Colours = Readonly<
  Record<
    'paper' | 'line' | 'ink' | 'soft' | 'sheet' | 'slow' | 'fast' | 'place' | 'brass' | 'land' | 'water',
    string
  >
>

/** Pixels between grid lines. */
const gridSize = 56
/** Metres per second at which a track has its strongest colour. */
const maxSpeed = 5

/** Draws the scene in CSS pixels. The canvas must be scaled to the pixels of the screen. */
export function drawScene(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { width, height, tracks, chosen, world } = scene
  const landColours = { ...colours, dot: colours.fast }
  context.fillStyle = colours.paper
  context.fillRect(0, 0, width, height)
  if (scene.backdrop) scene.backdrop.draw(context, scene)
  else {
    world?.drawLand(context, scene, landColours)
    drawGrid(context, scene, colours)
  }
  const sorted = [...tracks].toSorted((a, b) => Number(a.event.id === chosen) - Number(b.event.id === chosen))
  for (const track of sorted) {
    context.globalAlpha = chosen === undefined || track.event.id === chosen ? 1 : 0.35
    if (track.fixes.length > 1) drawTrack(context, scene, track, colours)
    else drawPlace(context, scene, track.fixes[0]!, colours, track.event.id === chosen)
  }
  context.globalAlpha = 1
  if (!scene.backdrop) world?.drawInset(context, scene, landColours)
  drawScale(context, scene, colours)
}

/** Reads the current colours of the page at an element. */
export function readColours(element: Element): Colours {
  const style = getComputedStyle(element)
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    paper: read('tint'),
    line: read('line'),
    ink: read('ink'),
    soft: read('soft'),
    sheet: read('sheet'),
    slow: read('places'),
    fast: read('heart'),
    place: read('places'),
    brass: read('brass'),
    land: read('map-land'),
    water: read('map-water')
  }
}

/** Returns the track or place nearest to a point of the canvas; undefined if none is within some pixels. */
export function findTrackAt({ tracks, view, width, height }: Scene, at: Point): Track | undefined {
  let best: { readonly track: Track; readonly far: number } | undefined
  const maxDistance = 18
  for (const track of tracks)
    for (const fix of track.fixes) {
      const { x, y } = toScreen(projectPlace(fix), view, width, height)
      const distance = Math.hypot(x - at.x, y - at.y)
      if (distance < (best?.far ?? maxDistance)) best = { track, far: distance }
    }
  return best?.track
}

/** Draws grid lines that move with the view. */
function drawGrid(
  context: CanvasRenderingContext2D,
  { view, width, height }: Scene,
  { line }: Colours
): void {
  const start = (middle: number, length: number): number =>
    (((length / 2 - middle * view.size) % gridSize) + gridSize) % gridSize
  context.beginPath()
  for (let x = start(view.x, width); x < width; x += gridSize) {
    context.moveTo(x, 0)
    context.lineTo(x, height)
  }
  for (let y = start(view.y, height); y < height; y += gridSize) {
    context.moveTo(0, y)
    context.lineTo(width, y)
  }
  context.strokeStyle = line
  context.lineWidth = 1
  context.stroke()
}

/** Draws a track, coloured by speed and interrupted at gaps, with dots at its start and end. */
function drawTrack(
  context: CanvasRenderingContext2D,
  scene: Scene,
  { fixes }: Track,
  colours: Colours
): void {
  const { view, width, height } = scene
  const points = fixes.map(fix => toScreen(projectPlace(fix), view, width, height))
  const forEachSegment = (use: (from: Point, to: Point, fix: Fix) => void): void => {
    for (let at = 1; at < fixes.length; at++)
      if (fixes[at]!.time - fixes[at - 1]!.time <= maxGap) use(points[at - 1]!, points[at]!, fixes[at]!)
  }
  context.lineCap = 'round'
  context.lineJoin = 'round'
  context.beginPath()
  forEachSegment((from, to) => {
    context.moveTo(from.x, from.y)
    context.lineTo(to.x, to.y)
  })
  context.strokeStyle = colours.sheet
  context.lineWidth = 7
  context.stroke()
  context.lineWidth = 4
  forEachSegment((from, to, { speed = 0 }) => {
    context.beginPath()
    context.moveTo(from.x, from.y)
    context.lineTo(to.x, to.y)
    context.strokeStyle = mixColours(colours.slow, colours.fast, Math.min(speed / maxSpeed, 1))
    context.stroke()
  })
  drawDot(context, points[0]!, colours.slow, 5, colours.sheet)
  drawDot(context, points.at(-1)!, colours.brass, 6, colours.sheet)
}

/** Draws a place, with its accuracy as a circle if that is large enough. */
function drawPlace(
  context: CanvasRenderingContext2D,
  { view, width, height }: Scene,
  fix: Fix,
  colours: Colours,
  isChosen: boolean
): void {
  const point = toScreen(projectPlace(fix), view, width, height)
  const radius = (fix.accuracy ?? 0) / getMetresPerPixel({ ...view, ...projectPlace(fix) })
  if (radius > 8) {
    context.beginPath()
    context.arc(point.x, point.y, radius, 0, 2 * Math.PI)
    context.fillStyle = colours.place
    context.globalAlpha *= 0.18
    context.fill()
    context.globalAlpha /= 0.18
  }
  drawDot(context, point, isChosen ? colours.brass : colours.place, isChosen ? 8 : 6, colours.sheet)
}

/** Draws a dot with a rim. `radius`: pixels. */
function drawDot(
  context: CanvasRenderingContext2D,
  { x, y }: Point,
  fill: string,
  radius: number,
  rim: string
): void {
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fillStyle = fill
  context.fill()
  context.strokeStyle = rim
  context.lineWidth = 2.5
  context.stroke()
}

/** Draws the scale and the north arrow. */
function drawScale(
  context: CanvasRenderingContext2D,
  { view, width, height }: Scene,
  colours: Colours
): void {
  const perPixel = getMetresPerPixel(view)
  const metres = chooseScaleLength(120, perPixel)
  const [left, bottom] = [14, height - 14]
  context.strokeStyle = colours.soft
  context.fillStyle = colours.ink
  context.lineWidth = 1.5
  context.beginPath()
  context.moveTo(left, bottom - 6)
  context.lineTo(left, bottom)
  context.lineTo(left + metres / perPixel, bottom)
  context.lineTo(left + metres / perPixel, bottom - 6)
  context.stroke()
  context.font = '500 12px system-ui, sans-serif'
  context.textAlign = 'left'
  context.fillText(formatDistance(metres), left + 6, bottom - 6)
  const [x, top] = [width - 22, 16]
  context.fillStyle = colours.soft
  context.beginPath()
  context.moveTo(x, top)
  context.lineTo(x + 6, top + 16)
  context.lineTo(x, top + 12)
  context.lineTo(x - 6, top + 16)
  context.fill()
  context.fillStyle = colours.ink
  context.textAlign = 'center'
  context.fillText('N', x, top + 30)
}

/** Formats a distance: `500 m`, `2.4 km`. */
export function formatDistance(metres: number): string {
  const isLong = metres >= 1000
  return new Intl.NumberFormat(getLocale(), {
    style: 'unit',
    unit: isLong ? 'kilometer' : 'meter',
    maximumFractionDigits: isLong && metres < 100_000 ? 1 : 0
  }).format(isLong ? metres / 1000 : metres)
}

/** Returns a component of a colour given as `#rrggbb`. */
function parseComponent(text: string, at: number): number {
  return Number.parseInt(text.slice(at, at + 2), 16)
}

/** Mixes two colours given as `#rrggbb`. */
function mixColours(from: string, to: string, share: number): string {
  const parts = [1, 3, 5].map(at =>
    Math.round(parseComponent(from, at) * (1 - share) + parseComponent(to, at) * share)
  )
  return parts.some(Number.isNaN) ? from : `rgb(${parts.join(' ')})`
}
