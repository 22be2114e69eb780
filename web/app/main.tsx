/** Entry point of the app: finds out who is signed in, then shows the page of the URL. */
import { render } from 'preact'
import { runEffectsAtOnce } from '../effects.js'
import { callRoute, keepSession, readPageSettings, readServiceInfo, type Session } from '../api.js'
import { setLanguage, t } from '../language.js'
import { explainError } from '../explain-error.js'
import { App } from './app.js'
import { takeLink } from './data/shared-link.js'
import { parseRoute, sharedName } from './route.js'
import { Unreachable } from './shell/unreachable.js'
import { addModuleTexts } from './texts.js'

/** Milliseconds until an error is shown if the service does not respond. */
const offlineDelayMs = 4000

// Shared links use no session, even if a user is signed in. The token is removed from the URL immediately.
const link = parseRoute(new URL(location.href)).user === sharedName ? takeLink() : undefined
runEffectsAtOnce()
const page = document.querySelector('#page')!
const asked = new URLSearchParams(location.search).get('lang')
await setLanguage([...(asked === null ? [] : [asked]), ...navigator.languages])
await addModuleTexts('shell')

if (link === undefined) {
  await showApp()
  // Installed after the page has loaded. Shared links leave nothing on the device, not even cached files.
  void import('./worker.js').then(async ({ makeInstallable }) => await makeInstallable())
} else await (await import('./guest/guest.js')).showSharedLink(page, link)

/** Reads who is signed in, and shows the app, or that the service cannot be reached. */
async function showApp(): Promise<void> {
  keepSession()
  const timer = setTimeout(() => render(<Unreachable message={t('error.offline')} />, page), offlineDelayMs)
  try {
    const [info, facts, { session }] = await Promise.all([
      readServiceInfo(),
      readPageSettings(),
      callRoute<{ session: Pick<Session, 'username'> | null }>('GET', 'app/session')
    ])
    render(<App info={info} facts={facts} username={session?.username} />, page)
  } catch (error) {
    render(<Unreachable message={explainError(error).message} />, page)
  } finally {
    clearTimeout(timer)
  }
}
