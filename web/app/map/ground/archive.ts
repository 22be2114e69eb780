/** Reads tiles from a PMTiles file by range requests. (docs/deployment.md#a-map) */
import { PMTiles, TileType } from 'pmtiles'

/** Reads at most `length` bytes from `start`. Rejects if they cannot be read. */
type ReadBytes = (start: number, length: number) => Promise<Uint8Array<ArrayBuffer>>

export interface Archive {
  readonly minZoom: number
  readonly maxZoom: number
  /** Attribution of the data, as plain text; empty if the file has none. */
  readonly attribution: string
  /** Returns the decompressed bytes of a tile; undefined if there is none. */
  readTile(zoom: number, x: number, y: number): Promise<Uint8Array | undefined>
}

/** Opens an archive. Rejects if it cannot be read or does not contain vector tiles. */
export async function openArchive(read: ReadBytes): Promise<Archive> {
  const tiles = new PMTiles({
    getKey: () => 'map',
    getBytes: async (start, length) => ({ data: (await read(start, length)).buffer })
  })
  const { maxZoom, minZoom, tileType } = await tiles.getHeader()
  if (tileType !== TileType.Mvt) throw new Error('No vector tiles')
  return {
    minZoom,
    maxZoom,
    attribution: await tiles.getMetadata().then(getAttribution, () => ''),
    async readTile(zoom, x, y) {
      const tile = await tiles.getZxy(zoom, x, y)
      return tile && new Uint8Array(tile.data)
    }
  }
}

/** Extracts the text of an attribution, which is markup. */
function getAttribution(metadata: unknown): string {
  const { attribution } = metadata as { readonly attribution?: unknown }
  if (typeof attribution !== 'string') return ''
  return attribution
    .slice(0, 500)
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&copy;|&#169;/g, '©')
    .replaceAll('&amp;', '&')
    .trim()
}
