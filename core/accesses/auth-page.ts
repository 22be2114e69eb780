/**
 * The URLs of an authorisation request: the page on which the user decides, the poll URL, and the URL to return to. (docs/spec/app-authorization.md#the-page; docs/spec/app-authorization.md#returning-to-the-app)
 */
import type { AuthRequest } from '../../schemas/auth-request.js'
import type { Config } from '../settings/config.js'
import { parseUrl, parseWebUrl } from '../parse-url.js'
import { isListedScheme } from '../redirect-uri.js'
import { getAccessUrl, getRegisterUrl } from '../service-info.js'
import { refuseParams } from '../validation/params.js'

/** Milliseconds between two polls. */
export const pollRateMs = 1000

/** Characters that browsers drop from URLs, or that end them in a header. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const invalidUrlCharacters = /[\u0000-\u0020\u007f]/

/** Returns the URL at which the outcome is polled: `…/access/` and the key, with or without a subdomain for each user. */
export function pollUrl(config: Config, key: string): string {
  return `${getAccessUrl(config)}${config.domain === '' ? '' : 'access/'}${key}`
}

/** Returns the URL of the configured authorisation page; Coffer's own by default. */
export function getDefaultAuthUrl({ access, publicUrl }: Config): string {
  return access.defaultAuthUrl || `${publicUrl}/access/access.html`
}

/**
 * Returns the page that a param requests, or the default one. Throws `invalid-parameters-format` for a page that is not trusted.
 */
export function resolveAuthPage(config: Config, requested: string | undefined, param = 'authUrl'): string {
  const standard = getDefaultAuthUrl(config)
  if (requested === undefined) return standard
  const url = parseWebUrl(requested)
  const trusted = [...config.access.trustedAuthUrls, standard].map(entry => parseUrl(entry))
  if (!url || hasUserInfo(url) || !trusted.some(entry => entry && isTrustedUrl(url, entry)))
    refuseParam(param, 'UNTRUSTED_AUTH_URL', 'must be a page that this service trusts')
  return url.href
}

/** Throws `invalid-parameters-format` for a return URL that is malformed or not allowed. */
export function assertReturnUrl(config: Config, returnURL: string): void {
  const url = invalidUrlCharacters.test(returnURL) ? undefined : parseUrl(returnURL)
  const isWeb = url !== undefined && isWebProtocol(url.protocol)
  if (!url || hasUserInfo(url) || !isReturnScheme(config, url.protocol) || (isWeb && !parseWebUrl(returnURL)))
    refuseParam('returnURL', 'INVALID_RETURN_URL', 'must be an http or https URL, or have an allowed scheme')
}

/**
 * Throws `invalid-parameters-format` if the operator lists the app's return URLs and the `returnURL` is not among these
 * or, without a `returnURL`, the request does not come from the origin of one of these URLs.
 */
export function assertListedReturnUrl(
  { access: { apps } }: Config,
  { requestingAppId, returnURL }: AuthRequest,
  origin: string | undefined
): void {
  const listed = apps.find(({ id }) => id === requestingAppId)?.returnURLs
  if (!listed) return
  const from = origin === undefined ? undefined : parseWebOrigin(origin)
  const isListed =
    typeof returnURL === 'string'
      ? listed.some(entry => isSameOrBelow(new URL(returnURL), new URL(entry)))
      : from !== undefined && listed.some(entry => parseWebOrigin(entry) === from)
  if (!isListed)
    refuseParam('returnURL', 'UNTRUSTED_RETURN_URL', 'must be one of the return URLs registered for this app')
}

/** Returns the URL of the page with its parameters, in the current form (`authUrl`) and in the older one (`url`). */
export function buildPageUrls(
  config: Config,
  key: string,
  page: string,
  { lang, oauthState, requestingAppId, returnURL }: AuthRequest
): { authUrl: string; url: string } {
  const poll = pollUrl(config, key)
  const serviceInfo = `${getRegisterUrl(config)}service/info`
  const params = {
    lang,
    key,
    requestingAppId,
    poll,
    poll_rate_ms: String(pollRateMs),
    serviceInfo,
    returnURL: returnURL || undefined,
    oauthState,
    // Parameter names that older pages read.
    pollUrl: poll,
    pryvServiceInfoUrl: serviceInfo
  }
  const domain = config.domain || new URL(config.publicUrl).hostname
  return {
    authUrl: setQueryParams(page, { ...params, domain: undefined, registerURL: undefined }),
    url: setQueryParams(page, { ...params, domain, registerURL: getRegisterUrl(config) })
  }
}

/** Returns the URL of the page on which the user accepts the offer of an OAuth client. (docs/api/oauth.md#offers) */
export function buildOfferPageUrl(config: Config, state: string, lang: string): string {
  return setQueryParams(`${config.publicUrl}/cmc-accept`, {
    state,
    pryvApi: `${getRegisterUrl(config)}service/info`,
    lang
  })
}

/**
 * Returns the URL to send the user back to; `undefined` if the app named none. The URL says how to poll the
 * outcome, and never holds a token.
 */
export function buildReturnUrl(
  config: Config,
  key: string,
  { oauthState, returnURL }: AuthRequest,
  status: string
): string | undefined {
  if (typeof returnURL !== 'string') return undefined
  const poll = pollUrl(config, key)
  if (oauthState !== undefined) return setQueryParams(returnURL, { state: oauthState, code: key, poll })
  const query = Object.entries({ poll, key, status }).map(
    ([name, value]) => `${config.access.parameterPrefix}${name}=${encodeURIComponent(value)}`
  )
  // The last character of the URL decides whether the parameters go into the query or the fragment.
  const glue = /[?#&]$/.test(returnURL) ? '' : /[?#]/.test(returnURL) ? '&' : '?'
  return `${returnURL}${glue}${query.join('&')}`
}

function hasUserInfo({ password, username }: URL): boolean {
  return username !== '' || password !== ''
}

function isTrustedUrl(url: URL, trusted: URL): boolean {
  return isWebProtocol(url.protocol) && isSameOrBelow(url, trusted)
}

/**
 * Returns whether scheme, host and port are the same, and the path is the same or one below it. Paths with encoded
 * slashes never match.
 */
function isSameOrBelow(url: URL, trusted: URL): boolean {
  if (url.protocol !== trusted.protocol || url.host !== trusted.host) return false
  if (/%2f|%5c/i.test(url.pathname)) return false
  const path = trusted.pathname
  return url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** Returns the origin of a page; `undefined` for URLs of other schemes. */
function parseWebOrigin(text: string): string | undefined {
  return parseWebUrl(text)?.origin
}

function isWebProtocol(protocol: string): boolean {
  return protocol === 'https:' || protocol === 'http:'
}

function isReturnScheme({ access }: Config, protocol: string): boolean {
  return isWebProtocol(protocol) || isListedScheme(protocol, access.returnSchemes)
}

/**
 * Sets query parameters. Existing parameters of these names are removed even if no value replaces them, so that no
 * other site can inject another URL into a page.
 */
function setQueryParams(base: string, params: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(base)
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, value)
    else url.searchParams.delete(name)
  // Not every page decodes a plus sign as a space.
  url.search = url.searchParams.toString().replaceAll('+', '%20')
  return url.href
}

function refuseParam(param: string, code: string, message: string): never {
  refuseParams([{ code, message, path: `#/${param}`, param }])
}
