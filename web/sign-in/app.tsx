/** Chooses the view by the page's URL and the request named in it. */
import { useEffect, useState } from 'preact/hooks'
import type { ComponentType } from 'preact'
import { root, type PageSettings, type ServiceInfo } from '../api.js'
import type { AuthRequest, NoRequest as NoRequestReason } from './auth-request.js'
import { createTextLoader, setLanguage, type Messages } from '../language.js'
import { PageLayout } from '../parts/page-layout.js'
import { explainError } from '../explain-error.js'
import { findAppHref, getHref, PageContext, type PageId } from '../page-context.js'
import { ConfirmEmail } from './views/confirm-email.js'
import { Home, NotFound } from './views/home.js'
import { ErrorPage, RequestUnavailable } from './views/error-pages.js'
import { RequestView } from './views/request-view.js'
import { ResetPassword } from './views/reset-password.js'

interface Props {
  readonly info: ServiceInfo
  readonly facts: PageSettings
  /** The app's request, if the URL names one. */
  readonly request: AuthRequest | NoRequestReason | undefined
}

/** Shows the page that the address names. `request`: of the app that asks for access, if one does. */
export function App({ info, facts, request }: Props) {
  const [place, setPlace] = useState(getCurrentPage)
  const [name, rename] = useState(info.name)
  const [resetToken, setResetToken] = useState(takeResetToken)
  const [tag, setTag] = useState(document.documentElement.lang)

  useEffect(() => {
    const update = (): void => setPlace(getCurrentPage())
    addEventListener('popstate', update)
    return () => removeEventListener('popstate', update)
  }, [])
  /** Returns whether a page is part of this program: requests of apps are handled here, everything else in the app. */
  const isOwnPage = (to: PageId): boolean =>
    findAppHref(to) === undefined || (request !== undefined && to !== 'account')
  const hrefTo = (to: PageId): string => (isOwnPage(to) ? getHref(to) : findAppHref(to)!)
  const go = (to: PageId): void => {
    if (!isOwnPage(to)) return location.assign(hrefTo(to))
    history.pushState(null, '', hrefTo(to))
    setResetToken(null)
    setPlace(to)
    return scrollTo(0, 0)
  }

  const view = () => {
    if (place === 'home' || place === 'account-root') return <Home isAccountRoot={place === 'account-root'} />
    if (place === 'setup' || place === 'refused' || place === 'verify-email' || place === 'letter-off')
      return <RarePage key={place} load={rarePages[place]} />
    if (place === 'reset-password')
      return <ResetPassword key={resetToken} resetToken={resetToken ?? undefined} />
    if (place === 'confirm-email') return <ConfirmEmail />
    // Without a request, the app handles signing in and registering.
    if (place === 'nowhere' || request === undefined) return <NotFound />
    return typeof request === 'string' ? (
      <RequestUnavailable reason={request} />
    ) : (
      <RequestView request={request} place={place} />
    )
  }
  return (
    <PageContext.Provider value={{ info: { ...info, name }, facts, go, getHref: hrefTo, rename }}>
      <PageLayout tag={tag} onLanguage={wanted => void setLanguage([wanted]).then(() => setTag(wanted))}>
        {view()}
      </PageLayout>
    </PageContext.Provider>
  )
}

/** Returns the token of a mailed link, and removes it from the address bar and the history. */
function takeResetToken(): string | null {
  const url = new URL(location.href)
  const token = url.searchParams.get('resetToken')
  url.searchParams.delete('resetToken')
  if (token !== null) history.replaceState(null, '', url)
  return token
}

const pageNames: readonly string[] = [
  'access',
  'register',
  'reset-password',
  'confirm-email',
  'verify-email',
  'letter-off',
  'signinhub',
  'setup'
]

/** Returns the page of the current URL; for URLs of no page, the special page shown there. */
function getCurrentPage(): PageId {
  const below = location.pathname.slice(root.pathname.length)
  if (below === 'oauth/authorize') return 'refused'
  if (document.querySelector('#page[data-nowhere]')) return 'nowhere'
  const [, name = ''] = /(?:^|\/)([\w-]+)\.html$/.exec(below) ?? []
  if (name !== '') return pageNames.includes(name) ? (name as PageId) : 'nowhere'
  if (/^(?:(?:access|reg)\/?)?$/.test(below)) return 'home'
  // Has the form of a username, whether or not the account exists.
  return /^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]\/?$/i.test(below) ? 'account-root' : 'nowhere'
}

const addPageTexts = createTextLoader(
  import.meta.glob<Messages>('./{letter-off,refused,setup,verify-email}/messages/*.json', {
    import: 'default'
  })
)

/** Rarely needed pages, loaded on demand. */
const rarePages = {
  setup: async () => (await Promise.all([import('./setup/setup.js'), addPageTexts('setup')]))[0].Setup,
  'verify-email': async () =>
    (await Promise.all([import('./verify-email/verify-email.js'), addPageTexts('verify-email')]))[0]
      .VerifyEmail,
  'letter-off': async () =>
    (await Promise.all([import('./letter-off/letter-off.js'), addPageTexts('letter-off')]))[0].LetterOff,
  refused: async () =>
    (await Promise.all([import('./refused/invalid-oauth-request.js'), addPageTexts('refused')]))[0]
      .InvalidOAuthRequest
}

function RarePage({ load }: { readonly load: () => Promise<ComponentType> }) {
  const [view, setView] = useState<{ readonly View: ComponentType }>()
  useEffect(() => {
    load().then(
      View => setView({ View }),
      (error: unknown) => setView({ View: () => <ErrorPage message={explainError(error).message} /> })
    )
  }, [])
  return view ? <view.View /> : null
}
