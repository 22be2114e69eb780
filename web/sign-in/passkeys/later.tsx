/** Signing in with a passkey, loaded only in browsers that support it. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { PageContext } from '../../page-context.js'
import type * as Entrance from './entry.js'
import { addPasskeyTexts } from './texts.js'

/** Shows signing in with a passkey once it is loaded, if the browser and the service support it. */
export function LazyPasskeySignIn(props: Entrance.PasskeySignInProps) {
  const { facts } = useContext(PageContext)
  const isSupported = supportsPasskeys(facts.passkeyOrigin)
  const module = useLazyModule<typeof Entrance>(isSupported, async () => {
    await addPasskeyTexts()
    return await import('./entry.js')
  })
  return module ? <module.PasskeySignIn {...props} /> : null
}

/**
 * Returns a module once it is loaded; undefined until then, or if it cannot be loaded. Loads nothing unless
 * `isWanted`.
 */
export function useLazyModule<T>(isWanted: boolean, load: () => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<{ readonly views: T }>()
  useEffect(() => {
    if (isWanted)
      load().then(
        views => setLoaded({ views }),
        () => undefined
      )
  }, [isWanted])
  return loaded?.views
}

/** Returns whether passkeys of the service work on this page. */
export function supportsPasskeys(passkeyOrigin: string | null): boolean {
  return passkeyOrigin === location.origin && typeof PublicKeyCredential === 'function'
}
