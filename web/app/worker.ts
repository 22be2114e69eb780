/** Makes the app installable: sets its manifest, and registers the service worker that caches its files. (docs/app.md#offline) */
import { appRoot } from './route.js'

/** Trusted Types; browsers without them accept plain URLs. */
interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string }
  ): { createScriptURL(url: string): string }
}

/**
 * Registers the service worker, if the browser supports it: over plain HTTP only on localhost. A waiting
 * worker of this page's build takes over. Never rejects: the app works without it.
 */
export async function makeInstallable(): Promise<void> {
  // The page's URL has changed, so the relative URL of the manifest must be resolved.
  const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
  if (manifest) manifest.href = new URL('manifest.webmanifest', appRoot).href
  if (!('serviceWorker' in navigator)) return
  const own = new URL('worker.js', appRoot).href
  const policy = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy('coffer-worker', {
    createScriptURL: url => {
      if (url !== own) throw new TypeError('The app registers only its own worker')
      return url
    }
  })
  try {
    const { waiting } = await navigator.serviceWorker.register(policy?.createScriptURL(own) ?? own, {
      updateViaCache: 'none'
    })
    if (document.readyState !== 'complete')
      await new Promise(resolve => addEventListener('load', resolve, { once: true }))
    // The worker of a newer build takes over if this page is of that build.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no such argument
    waiting?.postMessage(document.querySelector<HTMLScriptElement>('script[type=module]')?.src)
  } catch {
    // The app works without it while the service is reachable.
  }
}
