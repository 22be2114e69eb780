/**
 * The addresses of an authorisation request: the page on which the user decides, where its outcome is polled, and where the
 * user is sent afterwards. (docs/spec/app-authorization.md#the-page; docs/spec/app-authorization.md#returning-to-the-app)
 */
import type { AuthRequest } from '../../schemas/auth-request.js'
import type { Config } from '../settings/config.js'
import { parsedUrl } from '../parsed-url.js'
import { accessUrl, registerUrl } from '../service-info.js'
import { refuseParams } from '../validation/params.js'

/** Milliseconds between two polls. */
export const pollRateMs = 1000

/** Schemes that run or show what they carry: no setting makes them a place to return to. */
const neverReturnedTo = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'])

/** Characters that browsers drop from URLs, or that end them in a header. */
// oxlint-disable-next-line no-control-regex -- these are what it is about
const unprintable = /[\u0000-\u0020\u007f]/

/** Where the outcome is polled: `…/access/` and the key, whichever way users are addressed. */
export function pollUrl(config: Config, key: string): string {
  return `${accessUrl(config)}${config.domain === '' ? '' : 'access/'}${key}`
}

/** The page that the operator wants, Coffer's own unless told otherwise. */
export function defaultAuthUrl({ access, publicUrl }: Config): string {
  return access.defaultAuthUrl || `${publicUrl}/access/access.html`
}

/** The page that an app asked for, or the default one. Raises `invalid-parameters-format` for one that is not trusted. */
export function authPage(config: Config, asked: string | undefined): string {
  const standard = defaultAuthUrl(config)
  if (asked === undefined) return standard
  const url = parsedUrl(asked)
  const trusted = [...config.access.trustedAuthUrls, standard].map(entry => parsedUrl(entry))
  if (!url || hasCredentials(url) || !trusted.some(entry => entry && isWithin(url, entry)))
    refuse('authUrl', 'UNTRUSTED_AUTH_URL', 'has to be a page that this service trusts')
  return url.href
}

/** Raises `invalid-parameters-format` for an address that nobody is to be sent to. */
export function mustBeReturnable(config: Config, returnURL: string): void {
  const url = unprintable.test(returnURL) ? undefined : parsedUrl(returnURL)
  if (!url || hasCredentials(url) || !isReturnScheme(config, url.protocol))
    refuse(
      'returnURL',
      'INVALID_RETURN_URL',
      'has to be an http or https URL, or one of a scheme that is allowed'
    )
}

/**
 * Raises `invalid-parameters-format` where the operator lists addresses of an app and the person is to be sent to another
 * one, or to none while another page than those of the app asks.
 */
export function mustBeListed(
  { access: { apps } }: Config,
  { requestingAppId, returnURL }: AuthRequest,
  origin: string | undefined
): void {
  const listed = apps.find(({ id }) => id === requestingAppId)?.returnURLs
  if (!listed) return
  const from = origin === undefined ? undefined : webOrigin(origin)
  const isListed =
    typeof returnURL === 'string'
      ? listed.some(entry => isBelow(new URL(returnURL), new URL(entry)))
      : from !== undefined && listed.some(entry => webOrigin(entry) === from)
  if (!isListed)
    refuse(
      'returnURL',
      'UNTRUSTED_RETURN_URL',
      'has to be one of the addresses that the operator lists for this app'
    )
}

/** The page with what it has to know, in its form of today and in the older one. */
export function pageUrls(
  config: Config,
  key: string,
  page: string,
  { lang, oauthState, requestingAppId, returnURL }: AuthRequest
): { authUrl: string; url: string } {
  const poll = pollUrl(config, key)
  const serviceInfo = `${registerUrl(config)}service/info`
  const params = {
    lang,
    key,
    requestingAppId,
    poll,
    poll_rate_ms: String(pollRateMs),
    serviceInfo,
    returnURL: returnURL || undefined,
    oauthState,
    // Names under which earlier pages look for them.
    pollUrl: poll,
    pryvServiceInfoUrl: serviceInfo
  }
  const domain = config.domain || new URL(config.publicUrl).hostname
  return {
    authUrl: withParams(page, { ...params, domain: undefined, registerURL: undefined }),
    url: withParams(page, { ...params, domain, registerURL: registerUrl(config) })
  }
}

/** Where the user goes from here, if anywhere: told how to learn the outcome, never a token. */
export function returnTarget(
  config: Config,
  key: string,
  { oauthState, returnURL }: AuthRequest,
  status: string
): string | undefined {
  if (typeof returnURL !== 'string') return undefined
  const poll = pollUrl(config, key)
  if (oauthState !== undefined) return withParams(returnURL, { state: oauthState, code: key, poll })
  const query = Object.entries({ poll, key, status }).map(
    ([name, value]) => `${config.access.parameterPrefix}${name}=${encodeURIComponent(value)}`
  )
  // Apps choose by the last character whether they are told in the query or in the fragment.
  const glue = /[?#&]$/.test(returnURL) ? '' : /[?#]/.test(returnURL) ? '&' : '?'
  return `${returnURL}${glue}${query.join('&')}`
}

function hasCredentials({ password, username }: URL): boolean {
  return username !== '' || password !== ''
}

function isWithin(url: URL, trusted: URL): boolean {
  return isWeb(url.protocol) && isBelow(url, trusted)
}

/** The same scheme, host and port; the same path or one below it. Slashes in disguise are no part of a path. */
function isBelow(url: URL, trusted: URL): boolean {
  if (url.protocol !== trusted.protocol || url.host !== trusted.host) return false
  if (/%2f|%5c/i.test(url.pathname)) return false
  const path = trusted.pathname
  return url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** The origin of a page; `undefined` for what has none. */
function webOrigin(text: string): string | undefined {
  const url = parsedUrl(text)
  return url && isWeb(url.protocol) ? url.origin : undefined
}

function isWeb(protocol: string): boolean {
  return protocol === 'https:' || protocol === 'http:'
}

function isReturnScheme({ access }: Config, protocol: string): boolean {
  if (neverReturnedTo.has(protocol)) return false
  return isWeb(protocol) || access.returnSchemes.some(scheme => `${scheme.toLowerCase()}:` === protocol)
}

/** Sets parameters. Those of the same names that were there go, also where there is no value: nobody slips a page another address. */
function withParams(base: string, params: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(base)
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, value)
    else url.searchParams.delete(name)
  // Not every page reads a plus as a blank.
  url.search = url.searchParams.toString().replaceAll('+', '%20')
  return url.href
}

function refuse(param: string, code: string, message: string): never {
  refuseParams([{ code, message, path: `#/${param}`, param }])
}
