/** Service information for clients: the URLs of the service and its accounts, and who runs it. (docs/spec/service-information.md#fields) */
import { Type, type Static } from 'typebox'
import type { Config } from './settings/config.js'
import type { Log } from './log.js'
import { getMessagingMode } from './outgoing/messaging.js'

/** The service information, which every client reads first. */
export const ServiceInfo = Type.Object({
  register: Type.String(),
  access: Type.String(),
  api: Type.String(),
  name: Type.String(),
  home: Type.String(),
  support: Type.String(),
  terms: Type.String(),
  eventTypes: Type.String(),
  version: Type.String(),
  serial: Type.String(),
  /** URLs by name: the service's own definitions, and what the operator adds. */
  assets: Type.Object({ definitions: Type.String() }, { additionalProperties: Type.String() }),
  /** Base URLs of adapters that serve further data of the accounts; absent if the operator configures no adapters. */
  adapters: Type.Optional(Type.Array(Type.String())),
  features: Type.Object({
    noHF: Type.Boolean(),
    contentQueries: Type.Boolean(),
    textQueries: Type.Boolean(),
    scopedNotifications: Type.Boolean(),
    cmc: Type.Boolean(),
    sharedSecrets: Type.Boolean(),
    accessesUpdate: Type.Boolean(),
    oauth2: Type.Boolean(),
    dpop: Type.Boolean(),
    mfa: Type.Object({ methods: Type.Array(Type.String()) })
  })
})
export type ServiceInfo = Static<typeof ServiceInfo>

/** Returns the service information of a configuration. Links that the operator leaves empty lead to the home page. */
export function serviceInfo(config: Config): ServiceInfo {
  const { adapters, assets, name, support, terms } = config.service
  const home = config.service.home || getCoreUrl(config)
  return {
    register: getRegisterUrl(config),
    access: getAccessUrl(config),
    api: getAccountUrl(config, '{username}'),
    name,
    home,
    support: support || home,
    terms: terms || home,
    eventTypes: `${config.publicUrl}/www/event-types.json`,
    version: config.apiVersion,
    serial: config.serial,
    assets: { definitions: `${config.publicUrl}/www/assets/index.json`, ...assets },
    ...(adapters.length > 0 && { adapters: [...adapters] }),
    features: {
      noHF: false,
      contentQueries: true,
      textQueries: true,
      scopedNotifications: true,
      oauth2: true,
      dpop: true,
      cmc: config.cmc.enabled,
      ...unsupportedFeatures,
      accessesUpdate: config.accesses.updates,
      sharedSecrets: config.sharedSecrets.enabled,
      mfa: { methods: getMessagingMode(config) === 'disabled' ? ['totp'] : ['sms', 'totp'] }
    }
  }
}

/** Features that clients look for and this service does not have. */
const unsupportedFeatures = {}

type UrlSettings = Pick<Config, 'publicUrl' | 'domain'>

/** Returns the URL of a user's account page, in the app. */
export function getAccountPageUrl({ publicUrl }: UrlSettings, username: string): string {
  return `${publicUrl}/app/${username}/account`
}

/** Returns the URL of a page in the app. `page`: the path of the page below the path of the user, such as `timeline`. */
export function getAppPageUrl({ publicUrl }: UrlSettings, username: string, page: string): string {
  return `${publicUrl}/app/${username}/${page}`
}

/** Returns the root of all registration routes; ends in a slash. */
export function getRegisterUrl(config: UrlSettings): string {
  return config.domain === '' ? `${config.publicUrl}/reg/` : getHostUrl(config, 'reg')
}

/** Returns the root of the authorisation requests of apps; ends in a slash. */
export function getAccessUrl(config: UrlSettings): string {
  return config.domain === '' ? `${config.publicUrl}/reg/access/` : getHostUrl(config, 'access')
}

/** Returns the root of an account, without a token; ends in a slash. */
export function getAccountUrl(config: UrlSettings, username: string): string {
  return config.domain === '' ? `${config.publicUrl}/${username}/` : getHostUrl(config, username)
}

/**
 * Returns the root of an account with the token in it: all that a client needs.
 * (docs/spec/conventions.md#root-endpoints)
 */
export function apiEndpoint(config: UrlSettings, username: string, token: string): string {
  return getAccountUrl(config, username).replace('//', `//${token}@`)
}

/** Returns the root of the only server, which holds all accounts; ends in a slash. */
export function getCoreUrl({ publicUrl }: UrlSettings): string {
  return `${publicUrl}/`
}

/**
 * Returns the URL of a host below the domain, with the scheme and port of the public URL if that is in the domain too.
 */
function getHostUrl({ publicUrl, domain }: UrlSettings, host: string): string {
  const { hostname, port, protocol } = new URL(publicUrl)
  const isWithin = `.${hostname}`.endsWith(`.${domain}`)
  return isWithin ? `${protocol}//${host}.${domain}${port && `:${port}`}/` : `https://${host}.${domain}/`
}

/**
 * Logs a warning if OAuth clients are configured, and the public URL is local though the service is served to other
 * machines, or is not `https`. Each proof of a key names the URL of its request as seen from outside, so all proofs would be
 * refused. (docs/api/oauth.md#proof-of-possession)
 */
export function warnAboutPublicUrl({ access, host, http, oauth, publicUrl }: Config, log: Log): void {
  const { hostname, protocol } = new URL(publicUrl)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const isServedOutside = http.trustedProxies.length > 0 || !['localhost', '127.0.0.1', '::1'].includes(host)
  const hasClients = oauth.registration || access.apps.some(app => app.oauth !== undefined)
  if (!hasClients || (!isServedOutside && isLocal)) return
  if (isLocal || protocol !== 'https:')
    log.warn(
      `publicUrl is ${publicUrl}, which is not how clients reach the service from outside: OAuth and proofs of keys (DPoP) fail. Set publicUrl to its https URL`
    )
}
