/** Authorisation requests as polling apps see them. (docs/spec/app-authorization.md#states) */
import { Type, type Static } from 'typebox'
import { AuthRequest, type Acceptance, type Redirection, type Refusal } from '../../schemas/auth-request.js'
import { OAuthNotice, type OAuthRequest } from '../../schemas/oauth.js'
import { KeyValue } from '../../schemas/scalars.js'
import type { StoredRequest } from '../../storage/platform/auth-requests.js'
import { buildPageUrls, pollRateMs, pollUrl } from './auth-page.js'
import { fail } from '../errors.js'
import { serviceInfo } from '../service-info.js'
import { getEndpoint } from './public-access.js'
import { isInForce } from '../permissions/effective-grants.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import { digestToken } from '../auth/token-digest.js'

/** Seconds for which a request can be decided and its outcome polled. */
export const requestLifetime = 3600

/** Fields of every state: `code` is its HTTP status. */
const stateFields = { code: Type.Integer(), serviceInfo: KeyValue }

export const NeedSignin = Type.Object({
  ...Type.Omit(AuthRequest, ['oauth']).properties,
  ...stateFields,
  status: Type.Literal('NEED_SIGNIN'),
  key: Type.String(),
  url: Type.String(),
  authUrl: Type.String(),
  poll: Type.String(),
  oauth: Type.Optional(OAuthNotice),
  poll_rate_ms: Type.Integer()
})
export type NeedSignin = Static<typeof NeedSignin>

const Accepted = Type.Object({
  ...stateFields,
  status: Type.Literal('ACCEPTED'),
  apiEndpoint: Type.String(),
  username: Type.String(),
  token: Type.String()
})

const Refused = Type.Object({
  ...stateFields,
  status: Type.Enum(['REFUSED', 'ERROR']),
  reasonID: Type.String(),
  reasonId: Type.String(),
  id: Type.Optional(Type.String()),
  message: Type.String(),
  detail: Type.Optional(Type.String())
})

/** The request was passed on to another page, which is a trusted one. */
const Redirected = Type.Object({
  ...stateFields,
  status: Type.Literal('REDIRECTED'),
  poll: Type.String(),
  redirectUrl: Type.String()
})

/** The outcome of a request that came by OAuth: its token is issued for a code, and never to clients that poll. */
const Delivered = Type.Object({ ...stateFields, status: Type.Literal('DELIVERED') })

export const AuthState = Type.Union([NeedSignin, Accepted, Delivered, Redirected, Refused])
export type AuthState = Static<typeof AuthState>

/**
 * Returns the request with this key. Throws `unknown-referenced-resource` if the request is unknown or expired; guessed
 * keys are counted.
 */
export function findRequest(
  { platform, throttle }: Services,
  { ip }: Credentials,
  key: string,
  now: number
): StoredRequest {
  const known = platform.authRequests.find(key, now)
  if (known) return known
  throttle.unknownToken(ip)
  return refuseUnknownKey()
}

/** Waits until {@link findRequest} can find a request that another node of a cluster has just created. */
export async function waitForRequest({ platform }: Services, key: string, now: number): Promise<void> {
  if (!platform.authRequests.find(key, now)) await platform.catchUp()
}

/**
 * Returns the response to a poll. Throws `unknown-referenced-resource` if the granted access is no longer
 * valid. The state of a request that came by OAuth has no token.
 */
export function toAuthState(services: Services, known: StoredRequest, now: number): AuthState {
  const { decision } = known
  if (!decision) return toNeedSignin(services, known)
  if (decision.status === 'REDIRECTED') return toRedirected(services, known, decision)
  if (decision.status !== 'ACCEPTED') return toRefused(services, known, decision)
  if (known.request.oauth)
    return { status: 'DELIVERED', code: 200, serviceInfo: serviceInfo(services.config) }
  return toAccepted(services, known, decision, now)
}

/** Returns the state of a request that waits for a decision, with the pages where it is made. */
function toNeedSignin(services: Services, { key, page, request }: StoredRequest): NeedSignin {
  const { oauth, ...asked } = request
  return {
    status: 'NEED_SIGNIN',
    code: 200,
    key,
    ...asked,
    ...(oauth && { oauth: toOAuthNotice(oauth) }),
    ...buildPageUrls(services.config, key, page, request),
    poll: pollUrl(services.config, key),
    poll_rate_ms: pollRateMs,
    serviceInfo: toServiceInfo(services, request)
  }
}

/** Returns what pages have to know about a request that came by OAuth. */
function toOAuthNotice({
  clientName,
  isSelfRegistered,
  isUnproven,
  prompts,
  scopes
}: OAuthRequest): OAuthNotice {
  return {
    scopes,
    ...(clientName !== undefined && { clientName }),
    ...(isSelfRegistered && { isSelfRegistered }),
    isAsked: isUnproven === true || prompts.includes('consent')
  }
}

/** Returns the granted access while it is valid. A revoked access must not be distinguishable from an unknown key. */
function toAccepted(
  services: Services,
  { request, username = '' }: StoredRequest,
  { accessId, tokenDigest: digest }: Acceptance,
  now: number
): AuthState {
  const account = services.accounts.find(username) ?? refuseUnknownKey()
  const store = services.accounts.openStore(account)
  const access = store.read(() => store.accesses.find(accessId))
  const isOver = access?.type !== 'app' || !isInForce(store, access, now) || digestToken(access) !== digest
  if (isOver) refuseUnknownKey()
  return {
    status: 'ACCEPTED',
    code: 200,
    apiEndpoint: getEndpoint({ account, services }, access),
    username: access.alias ?? account.username,
    token: access.token,
    serviceInfo: toServiceInfo(services, request)
  }
}

/** Returns the state of a request that continues at another address. */
function toRedirected(
  services: Services,
  { key, request }: StoredRequest,
  { redirectUrl, status }: Redirection
): AuthState {
  return {
    status,
    code: 301,
    poll: pollUrl(services.config, key),
    redirectUrl,
    serviceInfo: toServiceInfo(services, request)
  }
}

/** Returns the state of a request that was refused, or that ended with an error. */
function toRefused(
  services: Services,
  { request }: StoredRequest,
  { detail, message, reasonId, status }: Refusal
): AuthState {
  return {
    status,
    code: 403,
    reasonID: reasonId,
    reasonId,
    ...(status === 'ERROR' && { id: reasonId }),
    message,
    ...(detail !== undefined && { detail }),
    serviceInfo: toServiceInfo(services, request)
  }
}

/**
 * Returns the app's own service information, or else the service's. An app may present the service as it likes, but not
 * choose where passwords are sent. (docs/spec/app-authorization.md#asking)
 */
function toServiceInfo({ config }: Services, { serviceInfo: own }: AuthRequest): Record<string, unknown> {
  const info = serviceInfo(config)
  if (!own) return info
  const places = Object.entries({ register: info.register, access: info.access, api: info.api })
  return { ...own, ...Object.fromEntries(places.filter(([name]) => Object.hasOwn(own, name))) }
}

function refuseUnknownKey(): never {
  fail('unknown-referenced-resource', 'Unknown or expired request')
}
