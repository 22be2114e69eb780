/** Tiles of the operator's map, read when they become visible, and cached. */
import { appRoot } from '../../route.js'
import type { View } from '../projection.js'
import { openArchive, type Archive } from './archive.js'
import { toShapes, wantedLayers, type PlacedTile, type Shapes } from './style.js'
import { parseLayers } from './vector-tile.js'

/** Approximate width of a tile in pixels. */
const tileSize = 512
/** Maximum cached tiles, and maximum concurrent reads. */
const maxTiles = 96
const maxReads = 6

type TileState = Shapes | 'reading' | 'none'

/** A map of the service's tiles, read as they are drawn and cached. */
export class TileMap {
  readonly #tiles = new Map<string, TileState>()
  /** Missing tiles of the last drawing that are not being read yet. */
  #queue: (readonly [zoom: number, x: number, y: number])[] = []
  #reading = 0

  private constructor(
    private readonly archive: Archive,
    private readonly onRead: () => void
  ) {}

  /** Opens the map of the service. `onRead` is called when more of it can be drawn. Rejects if it cannot be read. */
  static async open(onRead: () => void): Promise<TileMap> {
    return new TileMap(await openArchive(readBytes), onRead)
  }

  /** The attribution that the map requires. */
  get attribution(): string {
    return this.archive.attribution
  }

  /**
   * Returns the tiles of a window, with parts of less detailed ones where a tile is missing. Starts reading
   * the missing ones, and forgets those requested for an earlier window.
   */
  listTiles(view: View, width: number, height: number): readonly PlacedTile[] {
    const { maxZoom, minZoom } = this.archive
    const zoom = Math.max(minZoom, Math.min(Math.round(Math.log2(view.size / tileSize)), maxZoom))
    const count = 2 ** zoom
    const side = view.size / count
    const [left, top] = [width / 2 - view.x * view.size, height / 2 - view.y * view.size]
    const range = (start: number, length: number): readonly [number, number] => [
      Math.max(0, Math.floor(-start / side)),
      Math.min(count - 1, Math.floor((length - start) / side))
    ]
    const [fromX, toX] = range(left, width)
    const [fromY, toY] = range(top, height)
    const placed: PlacedTile[] = []
    this.#queue = []
    for (let y = fromY; y <= toY; y++)
      for (let x = fromX; x <= toX; x++) {
        const place = { left: left + x * side, top: top + y * side, side }
        const state = this.#touch(zoom, x, y)
        if (typeof state === 'object') placed.push({ ...place, zoom, shapes: state })
        else {
          const above = this.#findAncestor(zoom, x, y, view.size, left, top)
          if (above) placed.push({ ...above, within: place })
          if (state === undefined) this.#queue.push([zoom, x, y])
        }
      }
    this.#startReads()
    return placed
  }

  /** Returns the smallest available tile that contains this one; undefined if there is none. */
  #findAncestor(
    zoom: number,
    x: number,
    y: number,
    size: number,
    left: number,
    top: number
  ): PlacedTile | undefined {
    for (let up = zoom - 1; up >= this.archive.minZoom; up--) {
      ;[x, y] = [x >> 1, y >> 1]
      const state = this.#tiles.get(`${up}/${x}/${y}`)
      const side = size / 2 ** up
      if (typeof state === 'object')
        return { left: left + x * side, top: top + y * side, side, zoom: up, shapes: state }
    }
    return undefined
  }

  #touch(zoom: number, x: number, y: number): TileState | undefined {
    const key = `${zoom}/${x}/${y}`
    const state = this.#tiles.get(key)
    if (state === undefined) return undefined
    // Moves the tile to the end of the map: least recently used tiles are evicted first.
    this.#tiles.delete(key)
    this.#tiles.set(key, state)
    return state
  }

  /** Starts as many reads of the queue as may run at a time; each starts further ones when it ends. */
  #startReads(): void {
    while (this.#reading < maxReads && this.#queue.length > 0) {
      const [zoom, x, y] = this.#queue.shift()!
      const key = `${zoom}/${x}/${y}`
      if (this.#tiles.has(key)) continue
      this.#tiles.set(key, 'reading')
      this.#reading++
      void this.#read(zoom, x, y)
        .catch((): TileState => 'none')
        .then(state => {
          this.#reading--
          this.#tiles.set(key, state)
          if (this.#tiles.size > maxTiles) this.#tiles.delete(this.#tiles.keys().next().value!)
          this.#startReads()
          this.onRead()
        })
    }
  }

  async #read(zoom: number, x: number, y: number): Promise<TileState> {
    const bytes = await this.archive.readTile(zoom, x, y)
    return bytes ? toShapes(parseLayers(bytes, wantedLayers)) : 'none'
  }
}

async function readBytes(start: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(new URL('map.pmtiles', appRoot), {
    headers: { 'Coffer-App': '1', Range: `bytes=${start}-${start + length - 1}` },
    credentials: 'omit',
    cache: 'no-store'
  })
  if (answer.status !== 206) throw new Error(answer.statusText)
  return new Uint8Array(await answer.arrayBuffer())
}
