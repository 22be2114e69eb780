/** Signing in with a passkey, loaded only in browsers that support it. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { Surroundings } from '../../surroundings.js'
import type * as Entrance from './entry.js'
import { addPasskeyTexts } from './texts.js'

/** Shows signing in with a passkey if the browser supports it. */
export function PasskeyEntry(props: Entrance.EntryProps) {
  const { facts } = useContext(Surroundings)
  const isSupported = knowsPasskeys(facts.passkeyOrigin)
  const module = useLater<typeof Entrance>(isSupported, async () => {
    await addPasskeyTexts()
    return await import('./entry.js')
  })
  return module ? <module.Entry {...props} /> : null
}

/** Returns a module once it is loaded; undefined until then, or if it cannot be loaded. */
export function useLater<T>(isWanted: boolean, load: () => Promise<T>): T | undefined {
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
export function knowsPasskeys(passkeyOrigin: string | null): boolean {
  return passkeyOrigin === location.origin && typeof PublicKeyCredential === 'function'
}
