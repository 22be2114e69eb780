/** What the map page draws its places on, if the operator gives a map: all that it needs to know of it. */
import type { View } from '../projection.js'
import { Ground } from './ground.js'
import { drawGround, type GroundColours } from './style.js'

export interface Backdrop {
  /** Whom to thank for the map. */
  readonly attribution: string
  /** Draws it in pixels of the page. */
  draw(context: CanvasRenderingContext2D, sight: Sight): void
}

interface Sight {
  readonly view: View
  readonly width: number
  readonly height: number
}

const names = ['water', 'land', 'green', 'building', 'road', 'highway', 'rail', 'border', 'label'] as const

/** Opens the map; `onRead` is called whenever there is more to draw. Rejects if it cannot be read. */
export async function openBackdrop(onRead: () => void): Promise<Backdrop> {
  const ground = await Ground.open(onRead)
  return {
    attribution: ground.attribution,
    draw(context, { view, width, height }) {
      const colours = coloursOf(context.canvas)
      // What is neither water nor anything else is land.
      context.fillStyle = colours.land
      context.fillRect(0, 0, width, height)
      drawGround(context, ground.inSight(view, width, height), colours, devicePixelRatio)
    }
  }
}

function coloursOf(element: Element): GroundColours {
  const style = getComputedStyle(element)
  return Object.fromEntries(
    names.map(name => [name, style.getPropertyValue(`--map-${name}`).trim()])
  ) as GroundColours
}
