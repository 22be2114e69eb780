/** Components that are loaded when first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { showFailure } from './toast.js'

/**
 * Returns a component that renders nothing until `load` has resolved with the actual one. If that fails,
 * shows a message and renders nothing.
 */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function Lazily(props: P) {
    const [View, setView] = useState<ComponentType<P> | undefined>(() => loaded)
    useEffect(() => {
      if (View) return
      load().then(found => setView(() => (loaded = found)), showFailure)
    }, [])
    return View ? <View {...props} /> : null
  }
}
