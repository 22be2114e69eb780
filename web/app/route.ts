/** Addresses within the app: `/app/{user}/{page}/{id}?…`. State that can be kept and sent is in them; nothing secret is. */
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

/** A place in the app. */
export interface Route {
  readonly user: string
  readonly page: PageName
  /** Of the stream, event, access … that the page is about. */
  readonly id?: string
  readonly query: URLSearchParams
}

/** What a page is given. */
export interface PageProps {
  /** Of the stream, event, access … in the address. */
  readonly id?: string
  readonly query: URLSearchParams
}

/** Where to go: a page of the current user. */
export interface Target {
  readonly page: PageName
  readonly id?: string
  readonly query?: Readonly<Record<string, string | undefined>>
}

/**
 * Words that somebody looks for stand behind this in the fragment, which browsers send to nobody; and once they are looked for, in
 * the history of the tab alone.
 */
const sought = 'text='

/** The root URL of the app. */
export const appRoot = new URL('app/', root)

/** In place of a user: what a link opens. No account can have this name. */
export const sharedName = 'shared'

/** In place of a user: the account page of whoever is signed in, and its parts. No account can have this name. */
const ownName = 'account'

/** Returns the place that a URL names: without a user if it names none, on the timeline if it names no page. */
export function routeOf(url: URL): Omit<Route, 'user'> & { readonly user?: string } {
  const path = url.pathname.startsWith(appRoot.pathname) ? url.pathname.slice(appRoot.pathname.length) : ''
  const [user = '', name = '', id = ''] = path.split('/').map(decoded)
  const page = pageNames.find(each => each === name) ?? 'timeline'
  const query = new URLSearchParams(url.search)
  if (url.hash.startsWith(`#${sought}`)) query.set('text', decoded(url.hash.slice(sought.length + 1)))
  if (user === ownName) return { page: 'account', query, ...(name === '' ? {} : { id: name }) }
  return { page, query, ...(user === '' ? {} : { user }), ...(id === '' ? {} : { id }) }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

let standIn: string | undefined

/** From now on, addresses hold this name instead of the user's: what a link opens is at a place of its own. */
export function showUnder(name: string): void {
  standIn = name
}

/** Returns the URL of a place of this user. */
export function hrefTo(user: string, { page, id, query = {} }: Target): string {
  const url = new URL(
    [standIn ?? user, page, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join('/'),
    appRoot
  )
  for (const [name, value] of Object.entries(query))
    if (value === undefined) continue
    else if (name === 'text') url.hash = sought + encodeURIComponent(value)
    else url.searchParams.set(name, value)
  return url.href
}

/** Told when the address has changed by {@link visit}. */
const changed = new EventTarget()

/** Shows another address. With `isSame` it replaces this one in the history, as panning does. */
export function visit(href: string, isSame = false): void {
  if (href === whereabouts()) return
  const { hash } = new URL(href)
  const isSought = hash.startsWith(`#${sought}`)
  const seen = isSought ? href.slice(0, -hash.length) : href
  history[isSame ? 'replaceState' : 'pushState'](isSought ? { hash } : null, '', seen)
  changed.dispatchEvent(new Event('change'))
}

/** The current address, with the words that are looked for. */
function whereabouts(): string {
  const { hash = '' } = (history.state ?? {}) as { readonly hash?: string }
  return location.href + hash
}

/** Returns the current address, and follows it. */
export function useAddress(): URL {
  const [href, setHref] = useState(whereabouts)
  useEffect(() => {
    const follow = (): void => setHref(whereabouts())
    changed.addEventListener('change', follow)
    addEventListener('popstate', follow)
    return () => {
      changed.removeEventListener('change', follow)
      removeEventListener('popstate', follow)
    }
  }, [])
  return new URL(href)
}
