/** Context of all views: the service, and navigation between pages. */
import { createContext } from 'preact'
import { root, type PageFacts, type ServiceInfo } from './api.js'

/** The pages by file name, and the account page, which is in the app. */
export type Place =
  | 'access'
  | 'register'
  | 'reset-password'
  | 'confirm-email'
  | 'signinhub'
  | 'setup'
  | 'account'
  | Entry

/**
 * Pages without a file of that name: the root of the service, the root of an account, an unknown URL, and an invalid OAuth
 * request.
 */
export type Entry = 'home' | 'account-root' | 'nowhere' | 'refused'

export interface Surroundings {
  readonly info: ServiceInfo
  readonly facts: PageFacts
  /** Shows another page, keeping the current request. */
  readonly go: (place: Place) => void
  /** The URL of another page. */
  readonly hrefOf: (place: Place) => string
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

const noFacts: PageFacts = {
  hasPasswords: true,
  providers: [],
  passwordReset: 'none',
  sendsMail: false,
  registration: 'closed',
  quota: 0,
  isDeletable: false,
  deletionGraceDays: 0,
  hasMap: false,
  passkeyOrigin: null
}

export const Surroundings = createContext<Surroundings>({
  info: noInfo,
  facts: noFacts,
  go: () => undefined,
  hrefOf
})

/** Pages that are in the app unless a request of an app is open: paths below the root. */
const appPaths: Readonly<Partial<Record<Place, string>>> = {
  access: 'app/',
  account: 'app/account',
  register: 'app/?register'
}

/** Returns the URL of a page that is in the app; `undefined` for others. */
export function hrefInApp(place: Place): string | undefined {
  const path = appPaths[place]
  return path === undefined ? undefined : new URL(path, root).href
}

/** Returns the URL of another page, with the query of this one except for secrets. */
export function hrefOf(place: Place): string {
  const params = new URLSearchParams(location.search)
  params.delete('resetToken')
  const query = params.toString()
  const name = `${place}.html${query && `?${query}`}`
  // Relative file names work only beside the other pages.
  return /\/access\/[\w-]+\.html$/.test(location.pathname) ? name : new URL(`access/${name}`, root).href
}
