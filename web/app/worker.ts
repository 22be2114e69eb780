/** Makes the app one that can be installed: names its manifest, and registers the worker that keeps its shell. (docs/app.md#offline) */
import { appRoot } from './route.js'

/** Browsers without Trusted Types take the URL as it is. */
interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string }
  ): { createScriptURL(url: string): string }
}

/** Registers the worker, if the browser has any: over plain HTTP it has none, except on the machine itself. */
export async function makeInstallable(): Promise<void> {
  // Named relatively in the page, which has another address by now.
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
    await navigator.serviceWorker.register(policy?.createScriptURL(own) ?? own, { updateViaCache: 'none' })
  } catch {
    // Without it the app works as well, as long as the service can be reached.
  }
}
