/** Context of all views: the service, and navigation between pages. */
import { createContext } from 'preact'
import { root, type PageSettings, type ServiceInfo } from './api.js'

/** The pages by file name, and the account page, which is in the app. */
export type PageId =
  | 'access'
  | 'register'
  | 'reset-password'
  | 'confirm-email'
  | 'verify-email'
  | 'letter-off'
  | 'signinhub'
  | 'setup'
  | 'account'
  | SpecialPage

/**
 * Pages without a file of that name: the root of the service, the root of an account, an unknown URL, and an invalid OAuth
 * request.
 */
type SpecialPage = 'home' | 'account-root' | 'nowhere' | 'refused'

export interface PageContext {
  readonly info: ServiceInfo
  readonly facts: PageSettings
  /** Shows another page, keeping the current request. */
  readonly go: (place: PageId) => void
  /** The URL of another page. */
  readonly getHref: (place: PageId) => string
  /** Changes the displayed name of the service after setup. */
  readonly rename?: (name: string) => void
}

const noInfo: ServiceInfo = {
  name: '',
  access: '',
  register: '',
  terms: '',
  support: '',
  home: '',
  assets: { definitions: '' }
}

const noFacts: PageSettings = {
  hasPasswords: true,
  providers: [],
  passwordReset: 'none',
  sendsMail: false,
  registration: 'closed',
  quota: 0,
  isDeletable: false,
  deletionGraceDays: 0,
  hasMap: false,
  passkeyOrigin: null,
  hasConsent: false,
  hasChannels: false,
  trustedReturnOrigins: []
}

export const PageContext = createContext<PageContext>({
  info: noInfo,
  facts: noFacts,
  go: () => undefined,
  getHref
})

/** Pages that are in the app unless a request of an app is open: paths below the root. */
const appPaths: Readonly<Partial<Record<PageId, string>>> = {
  access: 'app/',
  account: 'app/account',
  register: 'app/?register'
}

/** Returns the URL of a page that is in the app; `undefined` for others. */
export function findAppHref(place: PageId): string | undefined {
  const path = appPaths[place]
  return path === undefined ? undefined : new URL(path, root).href
}

/** Returns the URL of another page, with the query of this one except for secrets. */
export function getHref(place: PageId): string {
  const params = new URLSearchParams(location.search)
  params.delete('resetToken')
  const query = params.toString()
  const name = `${place}.html${query && `?${query}`}`
  // Relative file names work only beside the other pages.
  return /\/access\/[\w-]+\.html$/.test(location.pathname) ? name : new URL(`access/${name}`, root).href
}
