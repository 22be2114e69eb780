/** Redirect URIs of OAuth clients. (docs/api/oauth.md#redirect-uris) */
import { parseUrl, parseWebUrl } from './parse-url.js'

/**
 * Schemes of URLs that contain code to be executed or content to be displayed: users are never redirected to them,
 * whatever the settings.
 */
const harmfulSchemes = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'about:',
  'view-source:',
  'ftp:',
  'ws:',
  'wss:'
])
/** Characters that browsers drop from URLs, or that end them in a header; beyond ASCII they are percent-encoded. */
const printableAscii = /^[!-~]+$/
const maxLength = 2000
const loopback = ['http://127.0.0.1', 'http://[::1]', 'http://localhost'] as const

/**
 * Returns whether users may be redirected to URLs of this scheme (such as `cursor:`), because the operator lists it.
 */
export function isListedScheme(protocol: string, returnSchemes: readonly string[]): boolean {
  return (
    !harmfulSchemes.has(protocol) && returnSchemes.some(scheme => `${scheme.toLowerCase()}:` === protocol)
  )
}

/**
 * Returns what is wrong with a redirect URI of a client; `undefined` if it is valid. `returnSchemes`: the schemes that
 * the operator lists (`access.returnSchemes`).
 */
export function checkRedirectUri(uri: string, returnSchemes: readonly string[]): string | undefined {
  const url = printableAscii.test(uri) ? parseUrl(uri) : undefined
  if (!url || uri.length > maxLength) return 'must be an absolute URL of printable ASCII characters'
  if (uri.includes('#')) return 'must not have a fragment'
  if (url.username !== '' || url.password !== '') return 'must not contain a username or password'
  if (/^https?:$/.test(url.protocol) && !parseWebUrl(uri))
    return 'must have two slashes and a host after its scheme'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:')
    return isLoopbackUri(uri) ? undefined : 'must be https, or http on a loopback address'
  // Schemes of apps are reversed domain names, so that two apps do not choose the same. (RFC 8252, 7.1)
  const isOfApp = url.protocol.includes('.') && !harmfulSchemes.has(url.protocol)
  return isOfApp || isListedScheme(url.protocol, returnSchemes)
    ? undefined
    : 'must be https, http on a loopback address, a scheme such as com.example.app, or one of access.returnSchemes'
}

/**
 * Returns whether a URI is one of the registered URIs: exactly equal, except for the port of a loopback address. (RFC
 * 8252, 7.3)
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return (
    registered.includes(uri) ||
    registered.some(each => isLoopbackUri(each) && stripLoopbackPort(each) === stripLoopbackPort(uri))
  )
}

/** Returns whether a program on the user's machine receives the response. */
export function isLoopbackUri(uri: string): boolean {
  return stripLoopbackPort(uri) !== undefined
}

/**
 * Returns whether no other program can receive the response, so that a client without a secret is identified by its
 * URI.
 */
export function isExclusive(uri: string): boolean {
  return uri.startsWith('https:')
}

/**
 * Returns a loopback URI without its port; `undefined` for any other URI. Compares text: URLs that parsers treat as
 * equal may differ.
 */
function stripLoopbackPort(uri: string): string | undefined {
  const host = loopback.find(each => uri.startsWith(each))
  if (host === undefined) return undefined
  const rest = uri.slice(host.length)
  const [port = ''] = /^:\d{1,5}/.exec(rest) ?? []
  const path = rest.slice(port.length)
  return path === '' || path.startsWith('/') || path.startsWith('?') ? `${host}${path}` : undefined
}

/** Adds parameters to the query of a redirect URI. Those that are `undefined` are omitted. */
export function addQuery(uri: string, params: Readonly<Record<string, string | undefined>>): string {
  const query = Object.entries(params)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`]
    )
    .join('&')
  const glue = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${glue}${query}`
}
