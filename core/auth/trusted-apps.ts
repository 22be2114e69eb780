/** Which app may sign people in, from which origin. (docs/spec/authentication.md#trusted-apps) */
import { Type } from 'typebox'
import { AppId } from '../../schemas/account.js'
import type { Config } from '../settings/config.js'
import { fail } from '../errors.js'
import type { Log } from '../log.js'
import { matches, matchesOrigin } from './wildcards.js'
import { checker } from '../validation/params.js'
import type { Credentials } from '../call/credentials.js'

/** An app id and an origin, each perhaps with `*` for any part. */
interface TrustedPair {
  readonly appId: string
  readonly origin: string
}

/** Origins longer than this are not worth comparing. */
const originLength = 2000
/** How much of an origin a refusal tells. */
const shownLength = 200

const checkAppId = checker(Type.Object({ appId: AppId }))

/**
 * Raises `forbidden` unless a trusted pair matches the app id and the `Origin`, or the `Referer` where that is absent;
 * `invalid-parameters-format` where there is no app id to look at.
 */
export function mustBeTrusted(
  config: Config,
  { origin, referer }: Pick<Credentials, 'origin' | 'referer'>,
  params: unknown
): void {
  checkAppId(params)
  const { appId } = params as { appId: string }
  const from = origin || referer || ''
  const isTrusted = trustedPairs(config).some(pair => matches(pair.appId, appId) && isFrom(pair, from))
  if (!isTrusted) fail('forbidden', refusal(config, appId, from))
}

/** What is wrong with where a call comes from, and what can be done about it. */
function refusal({ auth, publicUrl }: Config, appId: string, from: string): string {
  const own = auth.trustedApps.trim() === '' ? `send the header "Origin: ${publicUrl}", or ` : ''
  const set = (origin: string): string =>
    `${own}have the operator add "${appId}@${origin}" to the setting auth.trustedApps`
  if (from === '') return `The app "${appId}" is not trusted without an Origin: ${set('*')}`
  // Paths and queries of a Referer are nobody's business.
  const [origin] = /^[^/?#\\]*(?:\/\/[^/?#\\]*)?/.exec(from.slice(0, shownLength)) ?? ['']
  return `The app "${appId}" is not trusted from "${origin}": ${set(origin)}`
}

/** Tells the operator of pairs that cannot be read: they are left out. */
export function warnOfMalformedPairs({ auth }: Config, log: Log): void {
  for (const pair of auth.trustedApps.split(','))
    if (pair.trim() !== '' && !parse(pair)) log.warn(`auth.trustedApps: "${pair.trim()}" is not appId@origin`)
}

function isFrom({ origin }: TrustedPair, from: string): boolean {
  // A call without an origin comes from no browser: only those who trust every origin trust it.
  if (origin === '*' || from === '') return origin === '*'
  return from.length <= originLength && matchesOrigin(origin, from)
}

const pairsOf = new WeakMap<Config, readonly TrustedPair[]>()

/** The pairs of a configuration, read once. */
function trustedPairs(config: Config): readonly TrustedPair[] {
  let pairs = pairsOf.get(config)
  if (!pairs) pairsOf.set(config, (pairs = configuredPairs(config)))
  return pairs
}

function configuredPairs(config: Config): TrustedPair[] {
  const setting = config.auth.trustedApps
  const ownPages = ownOrigins(config).map(origin => ({ appId: ownApps, origin }))
  if (setting.trim() !== '') return [...setting.split(',').flatMap(pair => parse(pair) ?? []), ...ownPages]
  const { domain } = config
  const hosts = [...ownHosts(config), ...(domain === '' ? [] : [`https://*.${domain}`])]
  // Tools leave the port out, or come from another one: the host says whose they are.
  return hosts.map(host => ({ appId: '*', origin: `${host}*` }))
}

/** What the service's own pages call themselves. No setting locks people out of them. */
const ownApps = 'coffer-*'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Where the service's own pages are. */
function ownOrigins({ publicUrl }: Config): string[] {
  const { port } = new URL(publicUrl)
  const others = ownHosts({ publicUrl }).map(host => `${host}${port && `:${port}`}`)
  return [publicUrl, ...others].flatMap(below)
}

/** Scheme and host of the service, without a port; on a machine of one's own it is called by any of their names. */
function ownHosts({ publicUrl }: Pick<Config, 'publicUrl'>): string[] {
  const { hostname, protocol } = new URL(publicUrl)
  const names = loopback.includes(hostname) ? loopback : [hostname]
  return names.map(name => `${protocol}//${name}`)
}

/** An origin, and whatever URL begins with it. */
function below(origin: string): string[] {
  return [origin, `${origin}/*`]
}

function parse(text: string): TrustedPair | undefined {
  const pair = text.replaceAll(/\s/g, '')
  const at = pair.indexOf('@')
  if (at < 1 || at === pair.length - 1) return undefined
  return { appId: pair.slice(0, at), origin: pair.slice(at + 1) }
}
