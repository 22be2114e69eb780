/** Components that are loaded when first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { explain } from '../../problem.js'
import { tell } from './toast.js'

/** Returns a component that renders nothing until `load` has resolved with the actual one. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function Lazily(props: P) {
    const [View, setView] = useState<ComponentType<P> | undefined>(() => loaded)
    useEffect(() => {
      if (View) return
      load().then(
        found => setView(() => (loaded = found)),
        (error: unknown) => tell(explain(error).message)
      )
    }, [])
    return View ? <View {...props} /> : null
  }
}
