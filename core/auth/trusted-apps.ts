/** Which apps may sign users in, and from which origins. (docs/spec/authentication.md#trusted-apps) */
import { Type } from 'typebox'
import { AppId } from '../../schemas/account.js'
import type { Config } from '../settings/config.js'
import { fail } from '../errors.js'
import type { Log } from '../log.js'
import { matches, matchesOrigin } from './wildcards.js'
import { createChecker } from '../validation/params.js'
import type { Credentials } from '../call/credentials.js'

/** An app id and an origin; in each, `*` stands for any text. */
interface TrustedPair {
  readonly appId: string
  readonly origin: string
}

/** Length of the longest origin that is compared, in characters; a longer origin is not trusted. */
const maxOriginLength = 2000
/** Maximum number of characters of an origin that the error message quotes. */
const maxQuotedLength = 200

const checkAppId = createChecker(Type.Object({ appId: AppId }))

/**
 * Throws `forbidden` unless a trusted pair matches the app id and the `Origin`, or the `Referer` where that is absent;
 * `invalid-parameters-format` if the app id is missing or malformed.
 */
export function assertTrustedApp(
  config: Config,
  { origin, referer }: Pick<Credentials, 'origin' | 'referer'>,
  params: unknown
): void {
  checkAppId(params)
  const { appId } = params as { appId: string }
  const from = origin || referer || ''
  // A Referer has a path, which a pair without one covers.
  const forms = origin ? [origin] : [from, removePath(from)]
  const isTrusted = getTrustedPairs(config).some(
    pair => matches(pair.appId, appId) && forms.some(form => isFrom(pair, form))
  )
  if (!isTrusted) fail('forbidden', buildRefusal(config, appId, from))
}

/** Returns the error message: why the origin is not trusted, and how to change that. */
function buildRefusal({ auth, publicUrl }: Config, appId: string, from: string): string {
  const own = auth.trustedApps.trim() === '' ? `send the header "Origin: ${publicUrl}", or ` : ''
  const set = (origin: string): string =>
    `${own}ask the operator to add "${appId}@${origin}" to the setting auth.trustedApps`
  if (from === '') return `The app "${appId}" is not trusted without an Origin: ${set('*')}`
  // The path and query of a Referer are private: only the origin is quoted.
  const origin = removePath(from.slice(0, maxQuotedLength))
  return `The app "${appId}" is not trusted from "${origin}": ${set(origin)}`
}

/** Logs a warning about pairs that cannot be parsed, which are ignored. */
export function warnAboutMalformedPairs({ auth }: Config, log: Log): void {
  for (const pair of auth.trustedApps.split(','))
    if (pair.trim() !== '' && !parsePair(pair))
      log.warn(`auth.trustedApps: "${pair.trim()}" is not in the form appId@origin`)
}

function isFrom({ origin }: TrustedPair, from: string): boolean {
  // A call without an origin does not come from a browser: only pairs that trust every origin cover it.
  if (origin === '*' || from === '') return origin === '*'
  return from.length <= maxOriginLength && matchesOrigin(origin, from)
}

function removePath(url: string): string {
  const [origin = ''] = /^[^/?#\\]*(?:\/\/[^/?#\\]*)?/.exec(url) ?? []
  return origin
}

const pairsByConfig = new WeakMap<Config, readonly TrustedPair[]>()

/** Returns the pairs of a configuration, parsed once. */
function getTrustedPairs(config: Config): readonly TrustedPair[] {
  let pairs = pairsByConfig.get(config)
  if (!pairs) pairsByConfig.set(config, (pairs = parsePairs(config)))
  return pairs
}

function parsePairs(config: Config): TrustedPair[] {
  const setting = config.auth.trustedApps
  const ownPages = listOwnOrigins(config).map(origin => ({ appId: ownAppPattern, origin }))
  if (setting.trim() !== '')
    return [...setting.split(',').flatMap(pair => parsePair(pair) ?? []), ...ownPages]
  const { domain } = config
  const hosts = [...listOwnHosts(config), ...(domain === '' ? [] : [`https://*.${domain}`])]
  // Tools omit the port or use another one, so only the host is compared.
  return hosts.map(host => ({ appId: '*', origin: `${host}*` }))
}

/** App ids of the service's own pages, which are always trusted so that no setting locks users out. */
const ownAppPattern = 'coffer-*'

/**
 * Returns whether an app id is the id of one of the service's own apps (its pages), where each sign-in has a separate
 * session.
 */
export function isOwnApp(appId: string): boolean {
  return matches(ownAppPattern, appId)
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Returns the origin patterns of the service's own pages. */
function listOwnOrigins({ publicUrl }: Config): string[] {
  const { port } = new URL(publicUrl)
  const others = listOwnHosts({ publicUrl }).map(host => `${host}${port && `:${port}`}`)
  return [publicUrl, ...others].flatMap(addSubpaths)
}

/** Returns scheme and host of the service, without a port; on a local machine, under every loopback name. */
function listOwnHosts({ publicUrl }: Pick<Config, 'publicUrl'>): string[] {
  const { hostname, protocol } = new URL(publicUrl)
  const names = loopback.includes(hostname) ? loopback : [hostname]
  return names.map(name => `${protocol}//${name}`)
}

/** Returns patterns for an origin and every URL below it. */
function addSubpaths(origin: string): string[] {
  return [origin, `${origin}/*`]
}

function parsePair(text: string): TrustedPair | undefined {
  const pair = text.replaceAll(/\s/g, '')
  const at = pair.indexOf('@')
  if (at < 1 || at === pair.length - 1) return undefined
  return { appId: pair.slice(0, at), origin: pair.slice(at + 1) }
}
