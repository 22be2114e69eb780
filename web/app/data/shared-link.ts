/** Shared links: the account and the token of an access, in the fragment of a URL, which browsers do not send to servers. */
import { appRoot, readKeptLink, sharedName } from '../route.js'

/** The contents of a shared link. */
export interface SharedLink {
  readonly username: string
  readonly token: string
}

/** Returns the URL that opens what a token may see. */
export function buildLink(link: SharedLink): string {
  return new URL(sharedName, appRoot).href + buildFragment(link)
}

/** Returns the fragment of a shared link. */
export function buildFragment({ username, token }: SharedLink): string {
  return `#${encodeURIComponent(username)}.${encodeURIComponent(token)}`
}

/** The fragment of the page's URL: a shared link, none, or an invalid one. */
export type LinkResult = SharedLink | 'none' | 'broken'

/**
 * Parses the fragment of the page's URL, and removes it from the address bar and the history. Without a
 * fragment, returns the link that was open before a reload, or `none`. Returns `broken` for a fragment that
 * is no link.
 */
export function takeLink(): LinkResult {
  const { hash, pathname, search } = location
  if (hash === '') return parseLink(readKeptLink() ?? '') ?? 'none'
  history.replaceState(null, '', pathname + search)
  return parseLink(hash) ?? 'broken'
}

/** Parses the fragment of a URL. Returns undefined unless it is a shared link. */
function parseLink(fragment: string): SharedLink | undefined {
  const match = /^#([\w-]{1,60})\.([\w%.~-]{1,400})$/.exec(fragment)
  if (!match) return undefined
  try {
    return { username: decodeURIComponent(match[1]!).toLowerCase(), token: decodeURIComponent(match[2]!) }
  } catch {
    return undefined
  }
}
