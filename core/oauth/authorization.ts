/**
 * OAuth authorization requests: each becomes a request of an app, so that users decide on it on the same pages, with
 * the same warnings. (docs/api/oauth.md#authorization-requests)
 */
import type { AuthRequest } from '../../schemas/auth-request.js'
import type { OAuthRequest } from '../../schemas/oauth.js'
import type { RequestedPermission } from '../accesses/granting.js'
import { getAccountStreams } from '../account/fields.js'
import { checkRedirectUri, isExclusive, isRegistered } from '../redirect-uri.js'
import type { Config } from '../settings/config.js'
import type { Services } from '../call/services.js'
import { buildOAuthData } from './client-data.js'
import { isConfidential, waitForClient, type Client } from './clients.js'
import { failOAuth, type OAuthErrorCode } from './errors.js'
import { getResourceUser } from './metadata.js'
import { assertScopeAllowed, parseAskedScope, parseOfferScope, type Scope } from './scope.js'
import { concernPatient } from './smart-scope.js'

/** Parameters as they came: several values where a parameter was repeated. */
export type Params = Readonly<Record<string, string | readonly string[]>>

/** Where the answer to a request goes. */
export interface Recipient {
  readonly client: Client
  readonly redirectUri: string
}

/** Parameters of unsupported extensions: ignoring them would misinterpret the request. */
const unsupported = [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported']
] as const satisfies readonly (readonly [string, OAuthErrorCode])[]

const prompts: readonly string[] = ['none', 'login', 'consent', 'select_account']
/** Form of a challenge, the SHA-256 of a verifier. (RFC 7636, 4.2) */
const challengePattern = /^[A-Za-z0-9_-]{43}$/
/** Maximum number of characters of values that are returned in a URL or an ID token: headers have no room for more. */
const maxTextLength = 2000
/** Maximum length of a device's name, in characters. */
const maxDeviceLength = 255
/** Maximum lifetime of an access, in seconds. */
const maxSeconds = 10_000_000_000

/**
 * Returns the client, and where the response goes. Throws `invalid_request` if either is uncertain: the user must not
 * be redirected then.
 */
export async function resolveRecipient(services: Services, params: Params): Promise<Recipient> {
  const id = getSingleParam(params, 'client_id') ?? failOAuth('invalid_request', 'The client_id is missing')
  const client = (await waitForClient(services, id)) ?? failOAuth('invalid_request', 'Unknown client_id')
  const redirectUri =
    getSingleParam(params, 'redirect_uri') ?? failOAuth('invalid_request', 'The redirect_uri is missing')
  if (!isRegistered(redirectUri, client.redirectURIs))
    failOAuth('invalid_request', 'The redirect_uri is not registered for this client')
  const fault = checkRedirectUri(redirectUri, services.config.access.returnSchemes)
  if (fault !== undefined) failOAuth('invalid_request', `The redirect_uri ${fault}`)
  return { client, redirectUri }
}

/**
 * Returns the `state` of a request, which every response carries; `undefined` if the parameter is repeated or too long.
 */
export function getState({ state }: Params): string | undefined {
  return typeof state === 'string' && state !== '' && state.length <= maxTextLength ? state : undefined
}

/**
 * Returns the request of an app that an authorization request stands for. Throws the errors of RFC 6749,
 * 4.1.2.1. Refuses parameters that are repeated, too long or not supported.
 */
export function toAppRequest(
  config: Config,
  { client, redirectUri }: Recipient,
  params: Params
): AuthRequest {
  for (const name of Object.keys(params)) if (name !== 'resource') getSingleParam(params, name)
  for (const [name, error] of unsupported)
    if (params[name] !== undefined)
      failOAuth(error, `The parameter ${name} is not supported. Send the parameters directly`)
  if (getSingleParam(params, 'response_type') !== 'code')
    failOAuth('unsupported_response_type', 'The response_type must be code')
  if (!['query', undefined].includes(getSingleParam(params, 'response_mode')))
    failOAuth('invalid_request', 'The response_mode must be query')
  const challenge = parseChallenge(params)
  const { asked, offer } = parseScopeParam(config, client, params)
  const username = resolveUser(config, params, asked)
  const expireAfter = computeLifetime(config, client, asked, params)
  for (const name of ['state', 'nonce', 'login_hint']) assertLength(params, name, maxTextLength)
  assertLength(params, 'device_name', maxDeviceLength)
  const device = getSingleParam(params, 'device_name')
  const hint = getSingleParam(params, 'login_hint') ?? username
  return {
    requestingAppId: client.id,
    requestedPermissions: asked.permissions.map(permission => ({ ...omitTagName(config, permission) })),
    lang: parseLanguage(getSingleParam(params, 'ui_locales')),
    returnURL: redirectUri,
    clientData: buildOAuthData(client, asked, expireAfter),
    ...(device && { deviceName: device }),
    ...(expireAfter !== undefined && { expireAfter }),
    oauth: {
      redirectUri,
      challenge,
      scopes: [...asked.identity],
      prompts: parsePrompts(params),
      ...omitUndefined({
        state: getState(params),
        nonce: getSingleParam(params, 'nonce'),
        maxAge: parseSeconds(params, 'max_age'),
        username,
        loginHint: hint,
        clientName: client.name
      }),
      ...(offer !== undefined && { offer }),
      ...(client.isSelfRegistered && { isSelfRegistered: true }),
      ...(!isConfidential(client) && !isExclusive(redirectUri) && { isUnproven: true })
    }
  }
}

/**
 * Returns the value of a parameter; an empty value counts as absent. Throws `invalid_request` for a repeated parameter.
 */
export function getSingleParam(params: Params, name: string): string | undefined {
  const value = params[name]
  if (typeof value === 'object')
    failOAuth('invalid_request', `The parameter ${name.slice(0, 50)} is repeated`)
  return value === '' ? undefined : value
}

/** Returns what the request asks for: permissions, or that the user accepts an offer. Throws `invalid_scope`. */
function parseScopeParam(
  { cmc }: Config,
  { offers, scopes }: Client,
  params: Params
): { readonly asked: Scope; readonly offer?: string } {
  const text = getSingleParam(params, 'scope')
  const offer = text === undefined ? undefined : parseOfferScope(text, cmc.enabled ? offers : {})
  // A session lasts an hour unless it is refreshed.
  if (offer !== undefined) return { asked: { identity: ['offline_access'], permissions: [] }, offer }
  const asked = parseAskedScope(
    text ?? scopes?.join(' ') ?? failOAuth('invalid_scope', 'The scope is missing')
  )
  if (scopes) assertScopeAllowed(asked, scopes)
  return { asked }
}

/**
 * Returns the permission without a name if it is on a stream of tags, which the service names. Throws `invalid_scope`
 * if the scope gives such a stream a name other than its id.
 */
function omitTagName(config: Config, permission: RequestedPermission): RequestedPermission {
  if (!('streamId' in permission) || !getAccountStreams(config).isTagId(permission.streamId))
    return permission
  const { defaultName, ...bare } = permission
  if (defaultName !== bare.streamId)
    failOAuth('invalid_scope', 'Tag streams are named by the service. Leave out the name in the scope')
  return bare
}

function assertLength(params: Params, name: string, max: number): void {
  const value = getSingleParam(params, name)
  if (value !== undefined && value.length > max)
    failOAuth('invalid_request', `The ${name} can have at most ${max} characters`)
}

/**
 * Returns the challenge. Only S256 is allowed: with `plain`, or without a challenge, anyone who sees the
 * request could use the code. Throws `invalid_request`.
 */
function parseChallenge(params: Params): string {
  const challenge =
    getSingleParam(params, 'code_challenge') ??
    failOAuth('invalid_request', 'The code_challenge is missing (PKCE)')
  if (getSingleParam(params, 'code_challenge_method') !== 'S256')
    failOAuth('invalid_request', 'The code_challenge_method must be S256')
  if (!challengePattern.test(challenge))
    failOAuth('invalid_request', 'The code_challenge must be a SHA-256 hash in base64url, with 43 characters')
  return challenge
}

/**
 * Returns the user whose account is requested, if `resource` (RFC 8707), or `aud` with scopes of SMART, names
 * a user; else `undefined`. Throws `invalid_target` for resources of others, or of several users,
 * `invalid_request` for a missing or foreign `aud`.
 */
function resolveUser(config: Config, params: Params, { identity }: Scope): string | undefined {
  const { resource = [] } = params
  const users = new Set<string>()
  const bases = concernPatient(identity) ? [requireFhirBase(config, params)] : []
  for (const each of [...bases, resource].flat()) {
    const user = getResourceUser(config, each)
    if (user === undefined) failOAuth('invalid_target', 'The resource does not belong to this service')
    if (user !== null) users.add(user)
  }
  if (users.size > 1) failOAuth('invalid_target', 'The resources belong to several accounts')
  return [...users][0]
}

/**
 * Returns the base URL of FHIR for which a token is requested. Throws `invalid_request` unless it is one of this service:
 * another server could pass on the token that it gets. (SMART App Launch 2.2, 2.0.8)
 */
function requireFhirBase(config: Config, params: Params): string {
  const base = getSingleParam(params, 'aud') ?? failOAuth('invalid_request', 'The aud is missing')
  const isOurs = /\/fhir\/?$/.test(base) && typeof getResourceUser(config, base) === 'string'
  return isOurs
    ? base
    : failOAuth('invalid_request', 'The aud must be the base URL of FHIR of an account here')
}

/**
 * Returns the lifetime of the access in seconds, the shortest of the requested and configured lifetimes; `undefined` if
 * the access lasts until the user revokes it.
 */
function computeLifetime(
  config: Config,
  client: Client,
  { identity }: Scope,
  params: Params
): number | undefined {
  const asked = parseSeconds(params, 'expire_after')
  if (asked !== undefined && (asked < 1 || asked > maxSeconds))
    failOAuth('invalid_request', 'The expire_after must be a number of seconds, 1 or more')
  const defaultSeconds = identity.includes('offline_access') ? config.oauth.accessSeconds : undefined
  const all = [asked, client.accessSeconds ?? defaultSeconds].filter(each => each !== undefined)
  return all.length > 0 ? Math.min(...all) : undefined
}

/** Returns the prompts. Throws `invalid_request` for unknown ones, `login_required` for `none`. */
function parsePrompts(params: Params): string[] {
  const asked = (getSingleParam(params, 'prompt') ?? '').split(' ').filter(each => each !== '')
  const unknown = asked.find(each => !prompts.includes(each))
  if (unknown !== undefined) failOAuth('invalid_request', `Unknown prompt ${unknown.slice(0, 50)}`)
  if (!asked.includes('none')) return asked
  if (asked.length > 1) failOAuth('invalid_request', 'The prompt none cannot be combined with others')
  // Users sign in for each request: their cookies are only valid on the service's own pages.
  return failOAuth('login_required', 'The user must sign in')
}

function parseSeconds(params: Params, name: string): number | undefined {
  const text = getSingleParam(params, name)
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) failOAuth('invalid_request', `The ${name} must be a whole number of seconds`)
  return Number(text)
}

/**
 * Returns the first language of a list such as `fr-CH de`, in the form that requests of apps use; `en` if
 * there is none.
 */
function parseLanguage(locales = ''): string {
  const [, language = 'en'] = /^([A-Za-z]{2})(?:[- ]|$)/.exec(locales) ?? []
  return language.toLowerCase()
}

type Optional = Pick<OAuthRequest, 'state' | 'nonce' | 'maxAge' | 'username' | 'clientName' | 'loginHint'>

function omitUndefined(values: { readonly [K in keyof Optional]: Optional[K] | undefined }): Optional {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
