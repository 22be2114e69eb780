/** What all of the service's own pages have in common. */
import { createHash } from 'node:crypto'

/** Nothing from other origins, nothing inline, no framing. */
export const commonPolicy: readonly string[] = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // The pages make no markup of text: where one did after all, the browser would refuse it.
  "require-trusted-types-for 'script'"
]

/** The policy of pages on which people sign in. */
export const pagePolicy = [...commonPolicy, "img-src 'self' data:", "trusted-types 'none'"].join('; ')

export const pageHeaders = {
  'Content-Security-Policy': pagePolicy,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY'
} as const

/** Most slashes in the address of a page below the root. */
export const deepest = 8

/** The opaque part of the tag of a page that is served so many folders deep. */
export function etagOf(bytes: Buffer, depth = 0): string {
  return createHash('sha256').update(bytes).update(String(depth)).digest('base64url')
}
