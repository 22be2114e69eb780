/** Styles and draws tiles: a few classes of shapes from layers of Protomaps and OpenMapTiles. */
import type { Feature, Layer } from './vector-tile.js'

/** Classes of areas, in drawing order. */
const areas = ['green', 'water', 'building'] as const
/** Classes of lines in drawing order, with their widths in pixels and minimum zoom. */
const lineStyles = {
  stream: { width: 1.2, from: 9, colour: 'water' },
  path: { width: 1, from: 13, colour: 'road' },
  rail: { width: 1, from: 11, colour: 'rail' },
  border: { width: 1.1, from: 0, colour: 'border' },
  minor: { width: 1.6, from: 12, colour: 'road' },
  major: { width: 2.4, from: 7, colour: 'road' },
  highway: { width: 3.2, from: 4, colour: 'highway' }
} as const

type Area = (typeof areas)[number]
type LineClass = keyof typeof lineStyles
const lineClasses = Object.keys(lineStyles) as LineClass[]

interface Label {
  readonly text: string
  /** As a share of the tile. */
  readonly x: number
  readonly y: number
  /** Lower ranks are more important. */
  readonly rank: number
}

/** Paths and labels of a tile, in a unit square. */
export interface Shapes {
  readonly paths: ReadonlyMap<Area | LineClass, Path2D>
  readonly labels: readonly Label[]
}

/** A visible tile: its position in the window, in pixels, and its shapes. */
export interface PlacedTile {
  readonly left: number
  readonly top: number
  readonly side: number
  readonly zoom: number
  readonly shapes: Shapes
  /** The visible part, if the tile replaces smaller ones that are being read. */
  readonly within?: { readonly left: number; readonly top: number; readonly side: number }
}

export type MapColours = Readonly<
  Record<'water' | 'land' | 'green' | 'building' | 'road' | 'highway' | 'rail' | 'border' | 'label', string>
>

export const wantedLayers: ReadonlySet<string> = new Set([
  // Protomaps.
  'landuse',
  'landcover',
  'water',
  'roads',
  'boundaries',
  'buildings',
  'places',
  // OpenMapTiles; some names are the same.
  'park',
  'waterway',
  'transportation',
  'boundary',
  'building',
  'place'
])

/** Maximum length of a name, in characters, and maximum number of names per tile. */
const maxNameLength = 60
const maxNames = 120

/**
 * Converts the layers of a tile to paths, and to labels by their rank, at most {@link maxNames}. Features that the map does
 * not draw are omitted.
 */
export function toShapes(layers: readonly Layer[]): Shapes {
  const paths = new Map<Area | LineClass, Path2D>()
  const labels: Label[] = []
  for (const { name, extent, features } of layers)
    for (const feature of features) {
      if (feature.kind === 'point') {
        const label = name.startsWith('place') ? toLabel(feature, extent) : undefined
        if (label) labels.push(label)
        continue
      }
      const shapeClass = feature.kind === 'area' ? getAreaClass(name, feature) : getLineClass(name, feature)
      if (shapeClass === undefined) continue
      let path = paths.get(shapeClass)
      if (!path) paths.set(shapeClass, (path = new Path2D()))
      addToPath(path, feature, extent)
    }
  return { paths, labels: labels.toSorted((a, b) => a.rank - b.rank).slice(0, maxNames) }
}

/** Draws tiles, then their labels. */
export function drawTiles(
  context: CanvasRenderingContext2D,
  placed: readonly PlacedTile[],
  colours: MapColours,
  pixelRatio: number
): void {
  for (const each of placed) drawTile(context, each, colours, pixelRatio)
  drawLabels(context, placed, colours)
}

/** Draws the areas and lines of a tile, clipped to where it is seen. `ratio`: device pixels per pixel. */
function drawTile(
  context: CanvasRenderingContext2D,
  { left, top, side, shapes, within, zoom }: PlacedTile,
  colours: MapColours,
  ratio: number
): void {
  context.save()
  const seen = within ?? { left, top, side }
  context.beginPath()
  // Aligned to whole pixels, so that no seams are visible between tiles.
  const [x, y] = [Math.floor(seen.left * ratio) / ratio, Math.floor(seen.top * ratio) / ratio]
  context.rect(x, y, seen.left + seen.side - x + 1 / ratio, seen.top + seen.side - y + 1 / ratio)
  context.clip()
  context.translate(left, top)
  context.scale(side, side)
  for (const area of areas) {
    const path = shapes.paths.get(area)
    if (!path) continue
    context.fillStyle = colours[area]
    context.fill(path)
  }
  // Line widths depend on the displayed size of the tile, not on its zoom.
  const level = zoom + Math.log2(side / 512)
  context.lineCap = 'round'
  context.lineJoin = 'round'
  for (const name of lineClasses) {
    const path = shapes.paths.get(name)
    const { width, from, colour } = lineStyles[name]
    if (!path || level < from) continue
    const wide = width * Math.max(0.5, Math.min(1.35 ** (level - 13), 4))
    context.lineWidth = wide / side
    context.setLineDash(name === 'border' ? [4 / side, 3 / side] : [])
    context.strokeStyle = colours[colour]
    context.stroke(path)
  }
  context.restore()
}

/** Draws labels that do not overlap, the most important first. */
function drawLabels(
  context: CanvasRenderingContext2D,
  placed: readonly PlacedTile[],
  colours: MapColours
): void {
  const all = placed
    .flatMap(({ left, top, side, shapes, within }) =>
      shapes.labels.map(({ rank, text, x, y }) => ({
        rank,
        text,
        x: left + x * side,
        y: top + y * side,
        within
      }))
    )
    .filter(({ x, y, within }) => !within || contains(within, x, y))
    .toSorted((a, b) => a.rank - b.rank)
  const taken: { readonly left: number; readonly right: number; readonly y: number }[] = []
  context.textAlign = 'center'
  context.lineJoin = 'round'
  for (const { rank, text, x, y } of all) {
    context.font = `${rank < 3 ? 600 : 500} ${rank < 2 ? 14 : rank < 4 ? 13 : 12}px system-ui, sans-serif`
    const half = context.measureText(text).width / 2 + 4
    const [left, right] = [x - half, x + half]
    if (taken.some(each => left < each.right && each.left < right && Math.abs(each.y - y) < 18)) continue
    taken.push({ left, right, y })
    context.strokeStyle = colours.land
    context.lineWidth = 3
    context.strokeText(text, x, y)
    context.fillStyle = colours.label
    context.fillText(text, x, y)
  }
}

function contains(
  { left, top, side }: { readonly left: number; readonly top: number; readonly side: number },
  x: number,
  y: number
): boolean {
  return x >= left && x < left + side && y >= top && y < top + side
}

function addToPath(path: Path2D, { kind, lines }: Feature, extent: number): void {
  for (const part of lines) {
    for (let at = 0; at + 1 < part.length; at += 2) {
      const [x, y] = [part[at]! / extent, part[at + 1]! / extent]
      if (at === 0) path.moveTo(x, y)
      else path.lineTo(x, y)
    }
    if (kind === 'area') path.closePath()
  }
}

const greens =
  /^(?:forest|wood|park|grass|grassland|meadow|nature_reserve|national_park|cemetery|scrub|garden|golf_course|orchard|vineyard|farmland|village_green|protected_area)$/

function getAreaClass(layer: string, { properties }: Feature): Area | undefined {
  if (layer === 'water') return 'water'
  if (layer.startsWith('building')) return 'building'
  if (layer === 'park') return 'green'
  if (layer === 'landuse' || layer === 'landcover')
    return greens.test(getKind(properties)) ? 'green' : undefined
  return undefined
}

/** Returns how a line is drawn, by the names of several tile schemas; `undefined` if it is not. */
function getLineClass(layer: string, { properties }: Feature): LineClass | undefined {
  const kind = getKind(properties)
  if (layer === 'water' || layer === 'waterway') return 'stream'
  if (layer.startsWith('boundar'))
    return kind === 'country' || kind === 'region' || Number(properties['admin_level'] ?? 9) <= 4
      ? 'border'
      : undefined
  if (layer !== 'roads' && layer !== 'transportation') return undefined
  if (/^(?:highway|motorway|trunk)/.test(kind)) return 'highway'
  if (/^(?:major_road|medium_road|primary|secondary|tertiary)/.test(kind)) return 'major'
  if (/^(?:path|track|footway|pedestrian|cycleway)/.test(kind)) return 'path'
  if (/^(?:rail|transit)/.test(kind)) return 'rail'
  return /^(?:minor|other|service|residential|street)/.test(kind) ? 'minor' : undefined
}

function getKind(properties: Feature['properties']): string {
  return String(properties['kind'] ?? properties['class'] ?? properties['subclass'] ?? '')
}

const ranks: Readonly<Record<string, number>> = {
  country: 0,
  region: 1,
  state: 1,
  city: 2,
  locality: 3,
  town: 3,
  village: 4,
  suburb: 5,
  neighbourhood: 6,
  hamlet: 6
}

/** Converts a place to a label; undefined if it has no name or lies outside the tile. */
function toLabel({ lines, properties }: Feature, extent: number): Label | undefined {
  const [x = -1, y = -1] = lines[0] ?? []
  const name = properties['name']
  // Labels outside the tile belong to its neighbour.
  if (typeof name !== 'string' || name === '' || x < 0 || y < 0 || x >= extent || y >= extent)
    return undefined
  const population = Number(properties['population_rank'] ?? properties['rank'] ?? 0)
  const rank =
    (ranks[String(properties['kind_detail'] ?? '')] ?? ranks[getKind(properties)] ?? 7) - population / 100
  return { text: name.slice(0, maxNameLength), x: x / extent, y: y / extent, rank }
}
