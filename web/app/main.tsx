/** Entry point of the app: finds out who is signed in, then shows the page of the URL. */
import { render } from 'preact'
import { call, keepSession, readPageFacts, readServiceInfo, type Session } from '../api.js'
import { speak, t } from '../language.js'
import { explain } from '../problem.js'
import { App } from './app.js'
import { takeLink } from './data/link.js'
import { routeOf, sharedName } from './route.js'
import { Unreachable } from './shell/unreachable.js'
import { addTextsOf } from './texts.js'

/** Milliseconds until an error is shown if the service does not respond. */
const offlineDelayMs = 4000

// Shared links use no session, even if a user is signed in. The token is removed from the URL immediately.
const link = routeOf(new URL(location.href)).user === sharedName ? takeLink() : undefined
const page = document.querySelector('#page')!
const asked = new URLSearchParams(location.search).get('lang')
await speak([...(asked === null ? [] : [asked]), ...navigator.languages])
await addTextsOf('shell')

if (link === undefined) {
  await showApp()
  // Installed after the page has loaded. Shared links leave nothing on the device, not even cached files.
  void import('./worker.js').then(async ({ makeInstallable }) => await makeInstallable())
} else await (await import('./guest/guest.js')).show(page, link)

async function showApp(): Promise<void> {
  keepSession()
  const timer = setTimeout(() => render(<Unreachable message={t('error.offline')} />, page), offlineDelayMs)
  try {
    const [info, facts, { session }] = await Promise.all([
      readServiceInfo(),
      readPageFacts(),
      call<{ session: Pick<Session, 'username'> | null }>('GET', 'app/session')
    ])
    render(<App info={info} facts={facts} username={session?.username} />, page)
  } catch (error) {
    render(<Unreachable message={explain(error).message} />, page)
  } finally {
    clearTimeout(timer)
  }
}
