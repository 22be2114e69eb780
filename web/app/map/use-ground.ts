/** Loads what maps are drawn on: the operator's map, or the land of the world. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { PageContext } from '../../page-context.js'
import type { Scene } from './draw-scene.js'
import type { Backdrop } from './ground/backdrop.js'

/**
 * Returns the operator's map once it is loaded, if there is one; and a counter that increases when more of it
 * can be drawn. Undefined if it cannot be loaded.
 */
export function useBackdrop(): readonly [Backdrop | undefined, number] {
  const { hasMap } = useContext(PageContext).facts
  const [backdrop, setBackdrop] = useState<Backdrop>()
  const [version, setVersion] = useState(0)
  useEffect(() => {
    if (!hasMap) return undefined
    let isGone = false
    const read = async (): Promise<void> => {
      const { openBackdrop } = await import('./ground/backdrop.js')
      const opened = await openBackdrop(() => {
        if (!isGone) setVersion(each => each + 1)
      })
      if (!isGone) setBackdrop(opened)
    }
    // Without a map, a grid is drawn.
    read().catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [hasMap])
  return [backdrop, version]
}

/**
 * Returns the land of the world once it is loaded, if the operator provides no map. Undefined if it cannot be
 * loaded.
 */
export function useWorld(): Scene['world'] {
  const { hasMap } = useContext(PageContext).facts
  const [world, setWorld] = useState<Scene['world']>()
  useEffect(() => {
    if (hasMap) return undefined
    let isGone = false
    // Without it, there is still a grid.
    import('./world.js').then(
      module => {
        if (!isGone) setWorld(module)
      },
      () => undefined
    )
    return () => {
      isGone = true
    }
  }, [hasMap])
  return world
}
