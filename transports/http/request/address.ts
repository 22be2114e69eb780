/**
 * Parses to whom a request is addressed: a user named by the path or by the host, or a service. Both forms are always served.
 * (docs/spec/conventions.md#user-names-in-paths-and-host-names)
 */
import type { Config } from '../../../core/settings/config.js'
import { fail } from '../../../core/errors.js'
import { parseQuery, type Query } from './query.js'
import { pageNames } from './page-names.js'

export interface Address {
  /** In lower case; `undefined` for the root of the server and for services. */
  readonly user: string | undefined
  /** The decoded path: the part below the user's root, or the whole path if it names no user. */
  readonly segments: readonly string[]
  readonly query: Query
}

/** Paths that mean the same on every host. (docs/spec/conventions.md#user-names-in-paths-and-host-names) */
const pathsOnEveryHost: ReadonlySet<string> = new Set([
  ...pageNames,
  'reg',
  'www',
  'favicon.ico',
  'system',
  'socket.io',
  'clean-up-cache',
  'docs',
  'healthz',
  'metrics',
  'readyz'
])

/** First path segments that cannot be user names. */
export const servicePaths: ReadonlySet<string> = new Set([
  ...pathsOnEveryHost,
  'app',
  '.well-known',
  'auth',
  'oauth',
  'oauth2',
  'operator',
  'cmc-accept',
  'cmc-scope-update',
  'register',
  'access',
  'service',
  'users'
])

/** First labels of host names that can name a user or a service. */
const label = /^(?:reg|access|[a-z0-9][a-z0-9-]{3,58}[a-z0-9])$/

/** Parses the address of a request. Errors: `missing-header` without a host, `invalid-request-structure`. */
export function parseAddress(
  url: string,
  host: string | undefined,
  { domain, limits }: Pick<Config, 'domain' | 'limits'>
): Address {
  if (host === undefined || host === '') fail('missing-header', 'The header "Host" is missing')
  const start = url.startsWith('/') ? 0 : pathStart(url)
  const mark = url.indexOf('?', start)
  const segments = splitPath(mark < 0 ? url.slice(start) : url.slice(start, mark))
  const query = mark < 0 ? noQuery : parseQuery(url.slice(mark + 1), limits)
  const name = domain === '' ? undefined : parseLabel(host, domain)
  const path = name === undefined || isComplete(segments[0], name) ? segments : [name, ...segments]
  const first = path[0]
  if (first === undefined || servicePaths.has(first)) return { user: undefined, segments: path, query }
  return { user: first.toLowerCase(), segments: path.slice(1), query }
}

const noQuery: Query = new Map()

/** The address of a request that has not been parsed. */
export const unknownAddress: Address = { user: undefined, segments: [], query: noQuery }

/** Returns whether the path is complete without the name in the host. Pages are below `access` on users' hosts, too. */
function isComplete(first: string | undefined, name: string): boolean {
  if (first === undefined) return false
  return first.toLowerCase() === name || pathsOnEveryHost.has(first) || (first === 'access' && name !== 'reg')
}

/** Returns the first label of a host directly below the domain. */
function parseLabel(host: string, domain: string): string | undefined {
  const colon = host.indexOf(':')
  const given = (colon < 0 ? host : host.slice(0, colon)).toLowerCase()
  // A trailing dot does not change the name.
  const name = given.endsWith('.') ? given.slice(0, -1) : given
  if (!name.endsWith(`.${domain}`)) return undefined
  const first = name.slice(0, -domain.length - 1)
  return label.test(first) ? first : undefined
}

/** Returns the offset of the path in `http://host/path`: proxies may send the absolute form. */
function pathStart(url: string): number {
  const scheme = url.indexOf('://')
  const slash = scheme < 0 ? -1 : url.indexOf('/', scheme + 3)
  return slash < 0 ? url.length : slash
}

function splitPath(path: string): string[] {
  const segments: string[] = []
  for (let slash = path.indexOf('/'); slash >= 0;) {
    const start = slash + 1
    slash = path.indexOf('/', start)
    if (slash >= 0) segments.push(path.slice(start, slash))
    else if (start < path.length) segments.push(path.slice(start))
  }
  return path.includes('%') ? segments.map(decodeSegment) : segments
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return fail('invalid-request-structure', 'The path is not properly percent-encoded')
  }
}
