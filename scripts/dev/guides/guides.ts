/** Lists the drawings of the pages in `docs/connect`. */
import { dialects } from '../../../transports/receive/dialects.js'
import { drawScreen } from './draw-screen.js'
import { screens } from './screens.js'

/** Returns the drawings, by dialect. */
export function drawGuides(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(screens).map(([id, screen]) => [
      id,
      drawScreen(screen, `Drawing of the settings for ${dialects.get(id)?.name ?? id}`)
    ])
  )
}
