/** URLs within the app: `/app/{user}/{page}/{id}?…`. They contain state that users can bookmark and send, and no secrets. */
import { useEffect, useState } from 'preact/hooks'
import { root } from '../api.js'

export const pageNames = [
  'timeline',
  'streams',
  'events',
  'table',
  'map',
  'photos',
  'shared',
  'account',
  'import'
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

/** Parses a URL: without a user if it names none; the timeline if it names no page. */
export function parseRoute(url: URL): Omit<Route, 'user'> & { readonly user?: string } {
  const path = url.pathname.startsWith(appRoot.pathname) ? url.pathname.slice(appRoot.pathname.length) : ''
  const [user = '', name = '', id = ''] = path.split('/').map(decodeSegment)
  const page = pageNames.find(each => each === name) ?? 'timeline'
  const query = new URLSearchParams(url.search)
  if (url.hash.startsWith(`#${searchPrefix}`))
    query.set('text', decodeSegment(url.hash.slice(searchPrefix.length + 1)))
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

/** Returns the URL of a page of this user. */
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

/** Navigates to a URL. With `isSame`, it replaces the current history entry, as panning does. */
export function navigate(href: string, isSame = false): void {
  if (href === getCurrentHref()) return
  const { hash } = new URL(href)
  const isSearch = hash.startsWith(`#${searchPrefix}`)
  const visibleHref = isSearch ? href.slice(0, -hash.length) : href
  history[isSame ? 'replaceState' : 'pushState'](isSearch ? { hash } : null, '', visibleHref)
  navigation.dispatchEvent(new Event('change'))
}

/** Returns the current URL, with search words. */
function getCurrentHref(): string {
  const { hash = '' } = (history.state ?? {}) as { readonly hash?: string }
  return location.href + hash
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
