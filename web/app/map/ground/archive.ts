/** Reads tiles from a PMTiles file, piece by piece. (docs/deployment.md#a-map) */
import { PMTiles, TileType } from 'pmtiles'

/** Returns the bytes from `start`, at most so many. Rejects if they cannot be read. */
export type ReadPiece = (start: number, length: number) => Promise<Uint8Array<ArrayBuffer>>

export interface Archive {
  readonly minZoom: number
  readonly maxZoom: number
  /** Whom to thank for the data, as plain text; empty if the file does not say. */
  readonly attribution: string
  /** Returns the bytes of a tile, decompressed; nothing if there is none. */
  tile(zoom: number, x: number, y: number): Promise<Uint8Array | undefined>
}

/** Opens an archive. Rejects if it cannot be read, or is of a kind that is not drawn here. */
export async function openArchive(read: ReadPiece): Promise<Archive> {
  const tiles = new PMTiles({
    getKey: () => 'map',
    getBytes: async (start, length) => ({ data: (await read(start, length)).buffer })
  })
  const { maxZoom, minZoom, tileType } = await tiles.getHeader()
  if (tileType !== TileType.Mvt) throw new Error('No vector tiles')
  return {
    minZoom,
    maxZoom,
    attribution: await tiles.getMetadata().then(attributionIn, () => ''),
    async tile(zoom, x, y) {
      const tile = await tiles.getZxy(zoom, x, y)
      return tile && new Uint8Array(tile.data)
    }
  }
}

/** Files tell it as markup, of which the text remains. */
function attributionIn(metadata: unknown): string {
  const { attribution } = metadata as { readonly attribution?: unknown }
  if (typeof attribution !== 'string') return ''
  return attribution
    .slice(0, 500)
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&copy;|&#169;/g, '©')
    .replaceAll('&amp;', '&')
    .trim()
}
