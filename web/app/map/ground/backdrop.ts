/** The map below places and tracks, if the operator provides one. */
import type { View } from '../projection.js'
import { TileMap } from './tile-map.js'
import { drawTiles, type MapColours } from './style.js'

export interface Backdrop {
  /** Attribution of the map. */
  readonly attribution: string
  /** Draws the map in CSS pixels. */
  draw(context: CanvasRenderingContext2D, sight: Viewport): void
}

interface Viewport {
  readonly view: View
  readonly width: number
  readonly height: number
}

const colourNames = [
  'water',
  'land',
  'green',
  'building',
  'road',
  'highway',
  'rail',
  'border',
  'label'
] as const

/** Opens the map. `onRead` is called when more of it can be drawn. Rejects if it cannot be read. */
export async function openBackdrop(onRead: () => void): Promise<Backdrop> {
  const ground = await TileMap.open(onRead)
  return {
    attribution: ground.attribution,
    draw(context, { view, width, height }) {
      const colours = readColours(context.canvas)
      // Everything not covered by tiles is land.
      context.fillStyle = colours.land
      context.fillRect(0, 0, width, height)
      drawTiles(context, ground.listTiles(view, width, height), colours, devicePixelRatio)
    }
  }
}

function readColours(element: Element): MapColours {
  const style = getComputedStyle(element)
  return Object.fromEntries(
    colourNames.map(name => [name, style.getPropertyValue(`--map-${name}`).trim()])
  ) as MapColours
}
