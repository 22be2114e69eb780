/**
 * Resolves pages of the service, the only ones to which users return from a provider. (docs/spec/identities.md#redirects)
 */
import { fail } from '../errors.js'
import { parseUrl } from '../parse-url.js'
import type { Config } from '../settings/config.js'

/** Longest address of a page, relative to the root. */
const maxPageLength = 1000

/**
 * Returns the URL of a page, without its fragment, given its address relative to the root; by default the sign-in page.
 * Throws `invalid-parameters-format` for anything but a page below `access/` or `app/`.
 */
export function resolveOwnPage({ publicUrl }: Config, page: unknown): string {
  const root = new URL(`${publicUrl}/`).href
  if (page === undefined) return `${root}access/access.html`
  const url = typeof page === 'string' && page.length <= maxPageLength ? parseUrl(root + page) : undefined
  const isOwn = ['access/', 'app/'].some(folder => url?.href.startsWith(root + folder))
  if (!url || !isOwn)
    fail('invalid-parameters-format', '"page" must be a page of this service, such as access/access.html')
  url.hash = ''
  return url.href
}
