/** Parses vector tiles. */
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'

type FeatureKind = 'point' | 'line' | 'area'
/** Alternating x and y coordinates, integers in units of the layer's extent. */
type Line = readonly number[]

export interface Feature {
  readonly kind: FeatureKind
  readonly lines: readonly Line[]
  readonly properties: Readonly<Record<string, string | number | boolean>>
}

export interface Layer {
  readonly name: string
  /** Width of the tile in units. */
  readonly extent: number
  readonly features: readonly Feature[]
}

const kinds: readonly (FeatureKind | undefined)[] = [undefined, 'point', 'line', 'area']

/** Parses the layers with these names. Throws if the tile is malformed. */
export function parseLayers(bytes: Uint8Array, wanted: ReadonlySet<string>): readonly Layer[] {
  const { layers } = new VectorTile(new PbfReader(bytes))
  return Object.entries(layers)
    .filter(([name]) => wanted.has(name))
    .map(([name, layer]) => ({
      name,
      extent: layer.extent,
      features: Array.from({ length: layer.length }, (_, at) => layer.feature(at)).flatMap(feature => {
        const kind = kinds[feature.type]
        if (!kind) return []
        const lines = feature.loadGeometry().map(line => line.flatMap(({ x, y }) => [x, y]))
        return [{ kind, lines, properties: feature.properties }]
      })
    }))
}
