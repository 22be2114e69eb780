/** Entry point of the app: finds out who is signed in, then shows the page that the address names. */
import { render } from 'preact'
import { call, keepSession, readPageFacts, readServiceInfo, type Session } from '../api.js'
import { speak, t } from '../language.js'
import { explain } from '../problem.js'
import { App } from './app.js'
import { takeLink } from './data/link.js'
import { routeOf, sharedName } from './route.js'
import { Unreachable } from './shell/unreachable.js'
import { addTextsOf } from './texts.js'

/** For how long the page stays empty while the service does not answer, in milliseconds. */
const patience = 4000

// What a link opens has no session, whoever has signed in; and its token leaves the address at once.
const link = routeOf(new URL(location.href)).user === sharedName ? takeLink() : undefined
const page = document.querySelector('#page')!
const asked = new URLSearchParams(location.search).get('lang')
await speak([...(asked === null ? [] : [asked]), ...navigator.languages])
await addTextsOf('shell')

if (link === undefined) {
  await showOwn()
  // After what the page needs at once. What a link opens leaves nothing on the device, not even the shell.
  void import('./worker.js').then(async ({ makeInstallable }) => await makeInstallable())
} else await (await import('./guest/guest.js')).show(page, link)

async function showOwn(): Promise<void> {
  keepSession()
  const slow = setTimeout(() => render(<Unreachable message={t('error.offline')} />, page), patience)
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
    clearTimeout(slow)
  }
}
