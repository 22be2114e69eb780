/** Writes PMTiles files of vector tiles, as operators download them: a small world with a lake and its surroundings. */
import { gzipSync } from 'node:zlib'

export interface Tile {
  readonly zoom: number
  readonly x: number
  readonly y: number
  readonly bytes: Buffer
}

export interface Shape {
  readonly layer: string
  readonly kind: 'point' | 'line' | 'area'
  /** Longitude and latitude of each point. */
  readonly places: readonly (readonly [number, number])[]
  readonly properties: Readonly<Record<string, string | number | boolean>>
}

const extent = 4096

/** Returns a file of tiles; `perLeaf`: entries per leaf directory, if there are any. */
export function pmtiles(
  tiles: readonly Tile[],
  { attribution = '', perLeaf = Infinity }: { readonly attribution?: string; readonly perLeaf?: number } = {}
): Buffer {
  const ordered = tiles
    .map(({ bytes, ...tile }) => ({ id: idByWalk(tile), bytes: gzipSync(bytes) }))
    .toSorted((a, b) => a.id - b.id)
  let offset = 0
  const entries = ordered.map(({ id, bytes }) => {
    const entry = { id, run: 1, length: bytes.length, offset }
    offset += bytes.length
    return entry
  })
  const groups = Array.from({ length: Math.ceil(entries.length / perLeaf) }, (_, at) =>
    entries.slice(at * perLeaf, (at + 1) * perLeaf)
  )
  const leaves = perLeaf < Infinity ? groups.map(directory) : []
  let leafAt = 0
  const roots = leaves.map(({ length }, at) => {
    const entry = { id: groups[at]![0]!.id, run: 0, length, offset: leafAt }
    leafAt += length
    return entry
  })
  const root = directory(leaves.length > 0 ? roots : entries)
  const metadata = gzipSync(JSON.stringify({ attribution }))
  const header = Buffer.alloc(127)
  header.write('PMTiles', 'latin1')
  header[7] = 3
  const rootAt = 127
  const places = [
    [rootAt, root.length],
    [rootAt + root.length, metadata.length],
    [rootAt + root.length + metadata.length, leafAt],
    [rootAt + root.length + metadata.length + leafAt, offset]
  ]
  for (const [index, number] of places.flat().entries())
    header.writeBigUInt64LE(BigInt(number), 8 + 8 * index)
  header.set([1, 2, 2, 1], 96)
  const zooms = tiles.map(({ zoom }) => zoom)
  header.set([Math.min(...zooms), Math.max(...zooms)], 100)
  return Buffer.concat([header, root, metadata, ...leaves, ...ordered.map(({ bytes }) => bytes)])
}

/** Returns the id of a tile: counted along the curve, not by the formula that readers use. */
function idByWalk({ zoom, x, y }: Omit<Tile, 'bytes'>): number {
  let before = 0
  for (let each = 0; each < zoom; each++) before += 4 ** each
  const quadrant = (level: number, px: number, py: number): number => {
    if (level === 0) return 0
    const half = 2 ** (level - 1)
    const quarter = 4 ** (level - 1)
    if (px < half && py < half) return quadrant(level - 1, py, px)
    if (px < half) return quarter + quadrant(level - 1, px, py - half)
    if (py >= half) return 2 * quarter + quadrant(level - 1, px - half, py - half)
    return 3 * quarter + quadrant(level - 1, half - 1 - py, 2 * half - 1 - px)
  }
  return before + quadrant(zoom, x, y)
}

function directory(
  entries: readonly {
    readonly id: number
    readonly run: number
    readonly length: number
    readonly offset: number
  }[]
): Buffer {
  const numbers = [
    entries.length,
    ...entries.map(({ id }, index) => id - (entries[index - 1]?.id ?? 0)),
    ...entries.map(({ run }) => run),
    ...entries.map(({ length }) => length),
    ...entries.map(({ offset }, index) => {
      const before = entries[index - 1]
      return before && before.offset + before.length === offset ? 0 : offset + 1
    })
  ]
  return gzipSync(Buffer.from(numbers.flatMap(varint)))
}

/** Returns all tiles that the shapes touch, from zoom 0 up. */
export function tilesOf(shapes: readonly Shape[], maxZoom: number): Tile[] {
  const tiles: Tile[] = []
  for (let zoom = 0; zoom <= maxZoom; zoom++) {
    const count = 2 ** zoom
    const points = shapes.flatMap(({ places }) => places.map(place => onPlane(place, count)))
    const [xs, ys] = [points.map(([x]) => Math.floor(x)), points.map(([, y]) => Math.floor(y))]
    for (let x = Math.min(...xs); x <= Math.max(...xs); x++)
      for (let y = Math.min(...ys); y <= Math.max(...ys); y++)
        tiles.push({ zoom, x, y, bytes: tileOf(shapes, zoom, x, y) })
  }
  return tiles
}

function onPlane([longitude, latitude]: readonly [number, number], count: number): [number, number] {
  const sine = Math.sin((latitude * Math.PI) / 180)
  return [(longitude / 360 + 0.5) * count, (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * count]
}

function tileOf(shapes: readonly Shape[], zoom: number, x: number, y: number): Buffer {
  const layers = new Map<string, Shape[]>()
  for (const shape of shapes) layers.set(shape.layer, [...(layers.get(shape.layer) ?? []), shape])
  return Buffer.concat(
    [...layers].map(([name, own]) => {
      const keys: string[] = []
      const values: Buffer[] = []
      const features = own.map(shape => {
        const tags = Object.entries(shape.properties).flatMap(([key, value]) => {
          keys.push(key)
          values.push(
            typeof value === 'string'
              ? text(1, value)
              : typeof value === 'boolean'
                ? Buffer.from([0x38, Number(value)])
                : Buffer.from([0x28, ...varint(value)])
          )
          return [...varint(keys.length - 1), ...varint(values.length - 1)]
        })
        return bytesOf(
          2,
          Buffer.concat([
            bytesOf(2, Buffer.from(tags)),
            Buffer.from([0x18, ['point', 'line', 'area'].indexOf(shape.kind) + 1]),
            bytesOf(4, Buffer.from(geometry(shape, zoom, x, y)))
          ])
        )
      })
      return bytesOf(
        3,
        Buffer.concat([
          Buffer.from([0x78, 2]),
          text(1, name),
          ...features,
          ...keys.map(key => text(3, key)),
          ...values.map(value => bytesOf(4, value)),
          Buffer.from([0x28, ...varint(extent)])
        ])
      )
    })
  )
}

function geometry({ kind, places }: Shape, zoom: number, x: number, y: number): number[] {
  const points = places.map(place => {
    const [px, py] = onPlane(place, 2 ** zoom)
    return [Math.round((px - x) * extent), Math.round((py - y) * extent)] as const
  })
  const steps = points.map(([px, py], at) => [
    px - (points[at - 1]?.[0] ?? 0),
    py - (points[at - 1]?.[1] ?? 0)
  ])
  const zigzag = (value: number): number[] => varint(value < 0 ? -2 * value - 1 : 2 * value)
  const [first = [], ...others] = steps.map(step => step.flatMap(zigzag))
  return [
    ...varint((1 << 3) | 1),
    ...first,
    ...(others.length > 0 ? [...varint((others.length << 3) | 2), ...others.flat()] : []),
    ...(kind === 'area' ? [(1 << 3) | 7] : [])
  ]
}

function text(field: number, value: string): Buffer {
  return bytesOf(field, Buffer.from(value))
}

function bytesOf(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(bytes.length)]), bytes])
}

function varint(value: number): number[] {
  const bytes: number[] = []
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128)
  return [...bytes, value]
}
