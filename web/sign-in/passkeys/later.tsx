/** Signing in with a passkey, loaded where a browser can: the other visits need none of it. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { Surroundings } from '../../surroundings.js'
import type * as Entrance from './entry.js'
import { addPasskeyTexts } from './texts.js'

/** Signing in with a passkey, where the browser can. */
export function PasskeyEntry(props: Entrance.EntryProps) {
  const { facts } = useContext(Surroundings)
  const isKnown = knowsPasskeys(facts.passkeyOrigin)
  const entrance = useLater<typeof Entrance>(isKnown, async () => {
    await addPasskeyTexts()
    return await import('./entry.js')
  })
  return entrance ? <entrance.Entry {...props} /> : null
}

/** What is loaded, once it is there. Without it, the page is as it would be without passkeys. */
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

/** Whether passkeys of the service work on this page. */
export function knowsPasskeys(passkeyOrigin: string | null): boolean {
  return passkeyOrigin === location.origin && typeof PublicKeyCredential === 'function'
}
