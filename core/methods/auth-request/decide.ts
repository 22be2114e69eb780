/** `authRequest.decide`: the sign-in page submits the user's decision. (docs/spec/app-authorization.md#deciding) */
import { Type, type Static } from 'typebox'
import type { Decision } from '../../../schemas/auth-request.js'
import { orNull } from '../../../schemas/scalars.js'
import type { Access } from '../../../schemas/access.js'
import type { StoredRequest } from '../../../storage/platform/auth-requests.js'
import { anyone } from '../../auth/allow.js'
import { buildAnswerUrl } from '../../oauth/answer-url.js'
import { isOAuthRequest, issueCode, type OAuthKnownRequest } from '../../oauth/codes.js'
import { buildReturnUrl, resolveAuthPage } from '../../accesses/auth-page.js'
import { AuthState, toAuthState, findRequest } from '../../accesses/auth-requests.js'
import { authenticate, getPresentedToken } from '../../auth/authenticate.js'
import { isSessionOpen } from '../../auth/personal-access.js'
import { recordOAuthAction } from '../../oauth/audit.js'
import { recordConsent } from '../../accesses/consent.js'
import { fail } from '../../errors.js'
import { ShownNotice } from '../../accesses/notices.js'
import { serviceMethod, type ServiceCall } from '../../call/method.js'
import { getAccountUrl, apiEndpoint } from '../../service-info.js'
import { refuseParams } from '../../validation/params.js'
import type { Account } from '../../../storage/platform/account.js'
import { digestToken } from '../../auth/token-digest.js'

const Text = Type.String({ maxLength: 1000 })

const Params = Type.Object({
  key: Type.String(),
  status: Type.Enum(['ACCEPTED', 'REFUSED', 'ERROR', 'REDIRECTED']),
  redirectUrl: orNull(Type.String({ maxLength: 2000 })),
  apiEndpoint: orNull(Type.String({ maxLength: 2000 })),
  username: orNull(Type.String({ maxLength: 100 })),
  token: orNull(Type.String({ maxLength: 255 })),
  reasonID: orNull(Text),
  reasonId: orNull(Text),
  id: orNull(Text),
  message: orNull(Text),
  detail: orNull(Text),
  notice: orNull(ShownNotice)
})
type Params = Static<typeof Params>

/**
 * Stores the decision, which is then final, and records it in the audit of the account. Returns the new
 * state, and where the page sends the user: `redirect`, unless the page is to close itself. Throws
 * `invalid-operation` if the request is decided already, and for an acceptance `invalid-access-token` or
 * `forbidden` unless the token is of the requested access.
 */
export const decide = serviceMethod({
  id: 'authRequest.decide',
  summary: 'Accept or deny an access request',
  params: Params,
  result: Type.Intersect([AuthState, Type.Object({ redirect: Type.Optional(Type.String()) })]),
  allow: anyone,
  facts: ({ code }: AuthState) => ({ code }),
  async run(call, params) {
    const { services, credentials, now } = call
    const { key, status } = params
    const known = findRequest(services, credentials, key, now)
    if (known.decision) refuseDecided()
    const { access, account, decision } = resolveDecision(call, known, params)
    const recordRefusal =
      status === 'REFUSED' && isOAuthRequest(known) ? findRefuser(call, params) : undefined
    const code =
      account && access && isOAuthRequest(known)
        ? await issueOAuthCode(call, known, { access, account })
        : undefined
    // Of two concurrent decisions only the first takes effect.
    const isFirst = await services.platform.change('decideOnAccess', key, decision, account?.id ?? null, now)
    if (!isFirst) refuseDecided()
    recordRefusal?.()
    if (account && access) {
      const notice = params.notice ?? undefined
      await recordConsent(services, account, { access, credentials, known, notice, now })
    }
    const decided = { ...known, decision, ...(account && { username: account.username }) }
    const { oauth } = known.request
    const redirect = oauth
      ? buildAnswerUrl(services.config, oauth, code === undefined ? toOAuthError(params) : { code })
      : status === 'REDIRECTED'
        ? undefined
        : buildReturnUrl(services.config, key, known.request, status)
    return { ...toAuthState(services, decided, now), ...(redirect !== undefined && { redirect }) }
  }
})

/** Returns a function that records the refusal in the account of the user who has signed in to decide; `undefined` without one. */
function findRefuser(call: ServiceCall, { username }: Params): (() => void) | undefined {
  const { credentials, now, services } = call
  const account = services.accounts.find(username?.toLowerCase() ?? '')
  const session = credentials.pageSessions?.find(each => each.username === account?.username)
  const token = getPresentedToken(credentials) ?? session?.token
  if (!account || token === undefined) return undefined
  const store = services.accounts.openStore(account)
  const access = store.read(() => store.accesses.findByToken(token))
  if (access?.type !== 'personal' || !isSessionOpen(services.config, store, access.id, now)) return undefined
  return () => recordOAuthAction({ ...call, store }, 'oauth.consent.refused', access.id)
}

interface DecisionResult {
  readonly decision: Decision
  /** The granted access, and its account. */
  readonly access?: Access
  readonly account?: Account
}

/** Issues the code for an OAuth client. */
async function issueOAuthCode(
  call: ServiceCall,
  known: OAuthKnownRequest,
  { access, account }: { readonly access: Access; readonly account: Account }
): Promise<string> {
  const store = call.services.accounts.openStore(account)
  return await issueCode(call, store, known, { access, account })
}

/** Returns the error that an OAuth client gets if no access is granted. */
function toOAuthError({ status }: Params): { readonly error: string; readonly error_description: string } {
  return status === 'REFUSED'
    ? { error: 'access_denied', error_description: 'The user denied the request' }
    : { error: 'server_error', error_description: 'The consent page failed' }
}

/** Returns the decision to store: acceptance with its access, redirection, refusal or error. */
function resolveDecision(call: ServiceCall, known: StoredRequest, params: Params): DecisionResult {
  const { detail, id, message, reasonId, reasonID, status } = params
  if (status === 'REDIRECTED')
    return { decision: { status, redirectUrl: resolveRedirectUrl(call, known, params) } }
  if (status === 'ACCEPTED') return acceptRequest(call, known, resolveAccessReference(call, params))
  const isError = status === 'ERROR'
  return {
    decision: {
      status,
      reasonId:
        (isError ? id : undefined) ??
        reasonID ??
        reasonId ??
        (isError ? 'INTERNAL_ERROR' : 'REASON_UNDEFINED'),
      message: message ?? '',
      ...(typeof detail === 'string' && { detail })
    }
  }
}

/**
 * Returns where the user decides instead. Anyone with the key may say so, therefore only trusted pages are allowed, and a
 * client of OAuth is never sent elsewhere.
 */
function resolveRedirectUrl(
  { services: { config } }: ServiceCall,
  { request }: StoredRequest,
  { redirectUrl }: Params
): string {
  if (request.oauth) fail('invalid-operation', 'A request of an OAuth client cannot be redirected')
  return resolveAuthPage(config, redirectUrl ?? refuseMissing('redirectUrl'), 'redirectUrl')
}

/**
 * Accepts a request. Only the key need come with the call: the token has to prove that the user decides.
 * Throws `invalid-access-token` for a token that is not valid, `forbidden` for an access of another app,
 * `invalid-operation` for a request to accept an offer.
 */
function acceptRequest(
  { services, credentials, now }: ServiceCall,
  known: StoredRequest,
  { token, username }: AccessReference
): DecisionResult {
  if (known.request.oauth?.offer !== undefined)
    fail('invalid-operation', 'This request asks the user to accept an offer: see oauth.acceptOffer')
  // An access with an alias is referred to by that alias, as everywhere.
  const account = services.accounts.find(username.toLowerCase())
  if (!account || /\s/.test(token)) {
    services.throttle.unknownToken(credentials.ip)
    fail('invalid-access-token')
  }
  const store = services.accounts.openStore(account)
  const { ip, via } = credentials
  const { access } = store.read(() =>
    authenticate({
      services,
      account,
      store,
      credentials: { auth: token, ip, via },
      now,
      // The exchange of the code prolongs it.
      mayBeRefreshed: isOAuthRequest(known)
    })
  )
  if (!access) fail('invalid-access-token')
  assertRequested(access, known)
  return {
    access,
    account,
    decision: { status: 'ACCEPTED', accessId: access.id, tokenDigest: digestToken(access) }
  }
}

/**
 * Throws `forbidden` unless the access is the requested app's. Pages that know nothing of devices create accesses
 * without a device name.
 */
function assertRequested({ deviceName, name, type }: Access, { request }: StoredRequest): void {
  const isOfApp = type === 'app' && name === request.requestingAppId
  if (!isOfApp || (deviceName !== undefined && deviceName !== request.deviceName))
    fail('forbidden', 'The token does not belong to an access of this app')
}

interface AccessReference {
  readonly username: string
  readonly token: string
}

/** Returns the user name and the token, given separately, in the endpoint, or in both places if they agree. */
function resolveAccessReference({ services }: ServiceCall, params: Params): AccessReference {
  const { config } = services
  const endpoint = params.apiEndpoint ?? undefined
  const parts =
    endpoint === undefined ? undefined : parseEndpoint(endpoint, getAccountUrl(config, '{username}'))
  const username = params.username ?? parts?.username ?? refuseMissing('username')
  const token = params.token ?? parts?.token ?? refuseMissing('token')
  if (endpoint !== undefined && !matchesEndpoint(endpoint, token, apiEndpoint(config, username, token)))
    refuseParams([
      {
        code: 'INVALID_API_ENDPOINT',
        message: 'does not match the user and the token',
        path: '#/apiEndpoint',
        param: 'apiEndpoint'
      }
    ])
  return { username, token }
}

/**
 * Returns whether an endpoint is the expected one: user names may be in any letter case, tokens may not; the last slash
 * may be missing.
 */
function matchesEndpoint(endpoint: string, token: string, expected: string): boolean {
  const whole = normalizeSlash(endpoint)
  return whole.toLowerCase() === expected.toLowerCase() && whole.includes(`//${token}@`)
}

/** Parses the token and the user name of an endpoint. `form`: the URL template of the service's endpoints. */
function parseEndpoint(endpoint: string, form: string): Partial<AccessReference> {
  const at = endpoint.indexOf('@')
  const scheme = endpoint.indexOf('//') + 2
  if (at < 0 || scheme < 2) return {}
  const [before = '', after = ''] = form.slice(form.indexOf('//') + 2).split('{username}')
  const place = normalizeSlash(endpoint.slice(at + 1))
  if (!place.startsWith(before) || !place.endsWith(after)) return {}
  return {
    token: endpoint.slice(scheme, at),
    username: place.slice(before.length, place.length - after.length)
  }
}

/** Returns a URL with exactly one slash at its end. */
function normalizeSlash(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return `${url.slice(0, end)}/`
}

function refuseMissing(param: string): never {
  refuseParams([
    {
      code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
      message: `Missing property "${param}"`,
      path: '#',
      params: [param]
    }
  ])
}

function refuseDecided(): never {
  fail('invalid-operation', 'This request has already been answered')
}
