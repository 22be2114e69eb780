/** The service: its information, signing in, and requesting access for an app. */
import type { Params, Result } from './calls.js'
import { Coffer, type CallOptions, type CofferOptions } from './coffer.js'
import { endpointOf } from './endpoint.js'
import { CofferError } from './errors.js'
import { Http, type HttpOptions } from './http.js'
import { sleep } from './retries.js'

/** The service information. (docs/spec/service-information.md#fields) */
export type ServiceInfo = Result<'service.info'>

/**
 * Reads the service information. `address` is the root URL of the service, or the URL of the information
 * itself. Rejects with a {@link CofferError}.
 */
export async function readServiceInfo(endpoint: string | URL, options?: HttpOptions): Promise<ServiceInfo> {
  const url = new URL(endpoint)
  if (!/\/service\/infos?\/?$/.test(url.pathname))
    url.pathname += `${url.pathname.endsWith('/') ? '' : '/'}service/info`
  return await new Http(new URL('./', url), options).request<ServiceInfo>('GET', url.href)
}

/** Credentials, and the app that signs in. (docs/spec/authentication.md#signing-in) */
export interface Login {
  readonly username: string
  readonly password: string
  /** 6 to 99 characters; must be trusted together with the origin. */
  readonly appId: string
}

export interface SignInOptions extends Omit<CofferOptions, 'username'> {
  /** The `Origin` header, for platforms other than browsers. */
  readonly origin?: string
}

/** A completed sign-in. */
export interface SignedIn {
  readonly isSignedIn: true
  /** The account, with a personal token or the session of a page. */
  readonly coffer: Coffer
  readonly preferredLanguage: string
}

/** A sign-in that needs a second factor. (docs/spec/mfa.md#signing-in) */
export interface SecondFactor {
  readonly isSignedIn: false
  readonly mfaToken: string
  /** Sends another code, if codes are sent. Rejects with a {@link CofferError}. */
  sendCode(): Promise<void>
  /** Completes the sign-in. Rejects with a {@link CofferError}: `invalid-code`. */
  verify(code: string): Promise<SignedIn>
}

type LoginResponse = Partial<Extract<Result<'auth.login'>, { token: string }>> & {
  readonly mfaToken?: string
}

/**
 * Signs in. If two-factor authentication is on, the result has methods to continue. Rejects with a {@link CofferError}, such as
 * `invalid-credentials`. Never retried.
 */
export async function signIn(
  { api }: Pick<ServiceInfo, 'api'>,
  login: Login,
  { origin, ...options }: SignInOptions = {}
): Promise<SignedIn | SecondFactor> {
  const username = login.username.toLowerCase()
  const endpoint = endpointOf(api, username)
  const account = new Coffer(endpoint, { ...options, username, retries: 0 })
  const post = async (path: string, json: object, token?: string): Promise<LoginResponse> =>
    await account.request('POST', path, {
      json,
      token,
      headers: origin === undefined ? undefined : { Origin: origin }
    })
  const toSignedIn = ({ preferredLanguage = 'en', token }: LoginResponse): SignedIn => ({
    isSignedIn: true,
    coffer: new Coffer(endpoint, { ...options, username, token }),
    preferredLanguage
  })
  const response = await post('auth/login', { ...login, username })
  const { mfaToken } = response
  if (mfaToken === undefined) return toSignedIn(response)
  return {
    isSignedIn: false,
    mfaToken,
    sendCode: async () => void (await post('mfa/challenge', {}, mfaToken)),
    verify: async code => toSignedIn(await post('mfa/verify', { code: code.replaceAll(/\s/g, '') }, mfaToken))
  }
}

/**
 * Signs out: revokes the session of the token or of the page. Rejects with a {@link CofferError}. The `coffer`
 * can make no calls afterwards.
 */
export async function signOut(coffer: Coffer, options: CallOptions = {}): Promise<void> {
  await coffer.request('POST', 'auth/logout', { json: {}, ...options })
}

/** An app's request for an access. */
export interface AccessRequest {
  /** URL of the page to show the user. */
  readonly authUrl: string
  readonly key: string
  /** URL to poll for the outcome. */
  readonly poll: string
  /** Resolves with the account once the user has accepted: see {@link waitForAccess}. */
  outcome(options?: CallOptions): Promise<Coffer>
}

/**
 * Requests an access for an app. Show the user `authUrl`, and wait for the outcome.
 * (docs/api/access-requests.md) Rejects with a {@link CofferError} if the request is refused.
 */
export async function requestAccess(
  { access }: Pick<ServiceInfo, 'access'>,
  request: Params<'authRequest.create'>,
  options: CofferOptions = {}
): Promise<AccessRequest> {
  const { authUrl, key, poll } = await new Http(access, options).request<
    Extract<Result<'authRequest.create'>, { status: 'NEED_SIGNIN' }>
  >('POST', '', { json: request })
  return {
    authUrl,
    key,
    poll,
    outcome: async ({ signal } = {}) => await waitForAccess(poll, { ...options, signal })
  }
}

/**
 * Polls an access request as often as the service allows. Resolves with the account; store its
 * `endpoint.token`. Rejects with a {@link CofferError} if the user refuses, with the reason as its id, or
 * with `unknown-referenced-resource` after an hour. Rejects with `invalid-operation` if the access goes to
 * another client, or the request continues at another URL.
 */
export async function waitForAccess(
  poll: string,
  { signal, ...options }: CofferOptions & CallOptions = {}
): Promise<Coffer> {
  const http = new Http(new URL('./', poll), options)
  for (;;) {
    const state = await http.request<Result<'authRequest.poll'>>('GET', poll, { signal })
    if (state.status === 'ACCEPTED')
      return new Coffer(state.apiEndpoint, { ...options, username: state.username })
    if (state.status === 'DELIVERED')
      throw new CofferError('invalid-operation', 'The access goes to the client that asked by OAuth', state)
    if (state.status === 'REDIRECTED')
      throw new CofferError('invalid-operation', `The request continues at ${state.redirectUrl}`, state)
    if (state.status !== 'NEED_SIGNIN')
      throw new CofferError(state.reasonId, state.message, state, { status: 403 })
    await sleep(state.poll_rate_ms / 1000, signal)
  }
}
