/** Headers and limits of all of the service's own pages. */
import { createHash } from 'node:crypto'
import type { Config } from '../../../core/settings/config.js'
import type { Exchange } from '../exchange.js'

/** The content security policy of all pages: nothing from other origins, nothing inline, no framing. */
export const commonPolicy: readonly string[] = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // The pages never create markup from text; the browser refuses it in case of an error.
  "require-trusted-types-for 'script'"
]

/** The policy of sign-in pages. */
export const pagePolicy = [...commonPolicy, "img-src 'self' data:", "trusted-types 'none'"].join('; ')

export const pageHeaders = {
  'Content-Security-Policy': pagePolicy,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY'
} as const

/** Maximum number of slashes in the address of a page below the root. */
export const maxDepth = 8

/** Returns whether the host belongs to a user or a service. Only the public host serves everything that the pages call. */
export function isBelowDomain({ req }: Pick<Exchange, 'req'>, { domain, publicUrl }: Config): boolean {
  const host = (req.headers.host ?? '').toLowerCase().replace(/\.?(?::\d*)?$/, '')
  return domain !== '' && host.endsWith(`.${domain}`) && host !== new URL(publicUrl).hostname
}

/** Returns the opaque part of the ETag of a page, which depends on the depth of its address in folders. */
export function computeETag(bytes: Buffer, depth = 0): string {
  return createHash('sha256').update(bytes).update(String(depth)).digest('base64url')
}
