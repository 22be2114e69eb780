/** Authorisation requests as their pollers see them. (docs/spec/app-authorization.md#states) */
import { Type, type Static } from 'typebox'
import { AuthRequest, type Acceptance, type Refusal } from '../../schemas/auth-request.js'
import { KeyValue } from '../../schemas/scalars.js'
import type { KnownRequest } from '../../storage/platform/auth-requests.js'
import { pageUrls, pollRateMs, pollUrl } from './auth-page.js'
import { fail } from '../errors.js'
import { apiEndpoint, serviceInfo } from '../service-info.js'
import { isInForce } from '../permissions/standing.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import { tokenDigest } from '../auth/token-digest.js'

/** Seconds for which a request can be decided and its outcome be polled. */
export const requestLife = 3600

/** What every state tells: `code` is its HTTP status. */
const common = { code: Type.Integer(), serviceInfo: KeyValue }

export const NeedSignin = Type.Object({
  ...AuthRequest.properties,
  ...common,
  status: Type.Literal('NEED_SIGNIN'),
  key: Type.String(),
  url: Type.String(),
  authUrl: Type.String(),
  poll: Type.String(),
  poll_rate_ms: Type.Integer()
})
export type NeedSignin = Static<typeof NeedSignin>

const Accepted = Type.Object({
  ...common,
  status: Type.Literal('ACCEPTED'),
  apiEndpoint: Type.String(),
  username: Type.String(),
  token: Type.String()
})

const Refused = Type.Object({
  ...common,
  status: Type.Enum(['REFUSED', 'ERROR']),
  reasonID: Type.String(),
  reasonId: Type.String(),
  id: Type.Optional(Type.String()),
  message: Type.String(),
  detail: Type.Optional(Type.String())
})

export const AuthState = Type.Union([NeedSignin, Accepted, Refused])
export type AuthState = Static<typeof AuthState>

/** The request of a key. Raises `unknown-referenced-resource` for one that is unknown or has expired; guesses are counted. */
export function requestOf(
  { platform, throttle }: Services,
  { ip }: Credentials,
  key: string,
  now: number
): KnownRequest {
  const known = platform.authRequests.find(key, now)
  if (known) return known
  throttle.unknownToken(ip)
  return unknownKey()
}

/** What a poll answers. */
export function authState(core: Services, known: KnownRequest, now: number): AuthState {
  const { decision } = known
  if (!decision) return needSignin(core, known)
  return decision.status === 'ACCEPTED'
    ? accepted(core, known, decision, now)
    : refused(core, known, decision)
}

function needSignin(core: Services, { key, page, request }: KnownRequest): NeedSignin {
  return {
    status: 'NEED_SIGNIN',
    code: 200,
    key,
    ...request,
    ...pageUrls(core.config, key, page, request),
    poll: pollUrl(core.config, key),
    poll_rate_ms: pollRateMs,
    serviceInfo: shownInfo(core, request)
  }
}

/** The access that was given, as long as it lasts. One that has been revoked since is not to be told apart from a wrong key. */
function accepted(
  core: Services,
  { request, username = '' }: KnownRequest,
  { accessId, tokenDigest: digest }: Acceptance,
  now: number
): AuthState {
  const account = core.accounts.find(username) ?? unknownKey()
  const store = core.accounts.store(account)
  const access = store.read(() => store.accesses.find(accessId))
  const isOver = access?.type !== 'app' || !isInForce(store, access, now) || tokenDigest(access) !== digest
  if (isOver) unknownKey()
  return {
    status: 'ACCEPTED',
    code: 200,
    apiEndpoint: apiEndpoint(core.config, username, access.token),
    username,
    token: access.token,
    serviceInfo: shownInfo(core, request)
  }
}

function refused(
  core: Services,
  { request }: KnownRequest,
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
    serviceInfo: shownInfo(core, request)
  }
}

/**
 * The app's own service information, or else the service's. How the service is called is the app's business; where
 * passwords are sent is not. (docs/spec/app-authorization.md#asking)
 */
function shownInfo({ config }: Services, { serviceInfo: own }: AuthRequest): Record<string, unknown> {
  const info = serviceInfo(config)
  if (!own) return info
  const places = Object.entries({ register: info.register, access: info.access, api: info.api })
  return { ...own, ...Object.fromEntries(places.filter(([name]) => Object.hasOwn(own, name))) }
}

function unknownKey(): never {
  fail('unknown-referenced-resource', 'This request is unknown, or it has expired')
}
