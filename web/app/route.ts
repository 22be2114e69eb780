/** URLs within the app: `/app/{user}/{page}/{id}?…`. They contain state that users can bookmark and send, and no secrets. */
import { useEffect, useState } from 'preact/hooks'
import { root } from '../api.js'

const pageNames = [
  'today',
  'timeline',
  'streams',
  'events',
  'table',
  'map',
  'photos',
  'report',
  'measures',
  'shared',
  'people',
  'compare',
  'channels',
  'letter',
  'reminders',
  'forms',
  'alerts',
  'account',
  'import',
  'connect'
] as const

export type PageName = (typeof pageNames)[number]

/** A parsed URL of the app. */
export interface Route {
  readonly user: string
  readonly page: PageName
  /** Id of the stream, event, access … that the page shows. */
  readonly id?: string
  readonly query: URLSearchParams
}

/** Props of a page. */
export interface PageProps {
  /** Id of the stream, event, access … in the URL. */
  readonly id?: string
  readonly query: URLSearchParams
}

/** A page of the current user to link to. */
export interface Target {
  readonly page: PageName
  readonly id?: string
  readonly query?: Readonly<Record<string, string | undefined>>
}

/**
 * Prefix of search words in the fragment of a URL, which browsers do not send to servers. When the page is shown, they are kept
 * only in the history state of the tab.
 */
const searchPrefix = 'text='

/** The root URL of the app. */
export const appRoot = new URL('app/', root)

/** Replaces the username in URLs of shared links. No account can have this name. */
export const sharedName = 'shared'

/** Replaces the username in URLs of the signed-in user's account page. No account can have this name. */
const accountName = 'account'

/** Replace the username in URLs with which apps open the pages for consent. No account can have these names. (docs/api/consent.md#pages) */
const offerPages: ReadonlyMap<string, string> = new Map([
  ['cmc-accept', 'offer'],
  ['cmc-scope-update', 'scope-update']
])

/** The page where users of an account arrive, and where links to an account without a page lead. */
export const firstPage: PageName = 'today'

/**
 * Parses a URL: without a user if it names none; the first page if it names no page. A text that is searched
 * for is in the fragment.
 */
export function parseRoute(url: URL): Omit<Route, 'user'> & { readonly user?: string } {
  const path = url.pathname.startsWith(appRoot.pathname) ? url.pathname.slice(appRoot.pathname.length) : ''
  const [user = '', name = '', id = ''] = path.split('/').map(decodeSegment)
  const page = pageNames.find(each => each === name) ?? firstPage
  const query = new URLSearchParams(url.search)
  if (url.hash.startsWith(`#${searchPrefix}`))
    query.set('text', decodeSegment(url.hash.slice(searchPrefix.length + 1)))
  const offerPage = offerPages.get(user)
  if (offerPage !== undefined) return { page: 'people', id: offerPage, query }
  if (user === accountName) return { page: 'account', query, ...(name === '' ? {} : { id: name }) }
  return { page, query, ...(user === '' ? {} : { user }), ...(id === '' ? {} : { id }) }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

let usernameReplacement: string | undefined

/** Replaces the username in all URLs, for shared links. */
export function replaceUsername(name: string): void {
  usernameReplacement = name
}

/**
 * Returns the URL of a page of this user, or of the shared link after {@link replaceUsername}. A text to
 * search for is in the fragment, which browsers do not send.
 */
export function buildHref(user: string, { page, id, query = {} }: Target): string {
  const url = new URL(
    [usernameReplacement ?? user, page, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join('/'),
    appRoot
  )
  for (const [name, value] of Object.entries(query))
    if (value === undefined) continue
    else if (name === 'text') url.hash = searchPrefix + encodeURIComponent(value)
    else url.searchParams.set(name, value)
  return url.href
}

/** Notified when the URL has been changed by {@link navigate}. */
const navigation = new EventTarget()

/**
 * Navigates to a URL, which re-renders pages. With `isSame`, it replaces the current history entry, as
 * panning does. A text that is searched for is kept out of the address bar. Does nothing for the current URL.
 */
export function navigate(href: string, isSame = false): void {
  if (href === getCurrentHref()) return
  const { hash } = new URL(href)
  const isSearch = hash.startsWith(`#${searchPrefix}`)
  const visibleHref = isSearch ? href.slice(0, -hash.length) : href
  if (!isSame && linkInHistory !== undefined)
    history.replaceState(buildState(readState().hash, undefined), '')
  const state = buildState(isSearch ? hash : undefined, linkInHistory)
  history[isSame ? 'replaceState' : 'pushState'](state, '', visibleHref)
  navigation.dispatchEvent(new Event('change'))
}

/** What the history of the tab keeps besides the URL. */
interface HistoryState {
  /** Search words, as the fragment of a URL. */
  readonly hash?: string
  /** The shared link that is open, so that it survives a reload. */
  readonly link?: string
}

let linkInHistory: string | undefined

/**
 * Keeps a shared link in the current entry of the tab's history, and in that of each page that is shown next; undefined removes it. The
 * entry of a page that is left loses it, so that nothing remains once the link is closed.
 */
export function keepLink(link: string | undefined): void {
  // An entry that was left with the browser's buttons still has it, until it is shown again.
  addEventListener('popstate', writeLink)
  linkInHistory = link
  writeLink()
}

/**
 * Returns the shared link that was open before a reload. Undefined if there was none. Returns it as the
 * fragment that {@link keepLink} was given.
 */
export function readKeptLink(): string | undefined {
  const { link } = readState()
  return typeof link === 'string' ? link : undefined
}

function writeLink(): void {
  if (readState().link !== linkInHistory)
    history.replaceState(buildState(readState().hash, linkInHistory), '')
}

function readState(): HistoryState {
  return (history.state ?? {}) as HistoryState
}

function buildState(hash: string | undefined, link: string | undefined): HistoryState | null {
  if (hash === undefined && link === undefined) return null
  return { ...(hash === undefined ? {} : { hash }), ...(link === undefined ? {} : { link }) }
}

/** Returns the current URL, with search words. */
function getCurrentHref(): string {
  return location.href + (readState().hash ?? '')
}

/** Returns the current URL, and re-renders when it changes. */
export function useAddress(): URL {
  const [href, setHref] = useState(getCurrentHref)
  useEffect(() => {
    const follow = (): void => setHref(getCurrentHref())
    navigation.addEventListener('change', follow)
    addEventListener('popstate', follow)
    return () => {
      navigation.removeEventListener('change', follow)
      removeEventListener('popstate', follow)
    }
  }, [])
  return new URL(href)
}
