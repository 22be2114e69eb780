/**
 * Redirects users to a provider and back: authorization code with PKCE, state, nonce and issuer.
 * (docs/spec/identities.md#redirects)
 */
import { digestSecret } from '../../schemas/secret-digest.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import { fail } from '../errors.js'
import { createToken } from '../ids.js'
import type { Config } from '../settings/config.js'
import type { Clock } from '../time.js'
import {
  getEmail,
  hasSecondFactor,
  isInAllowedGroup,
  maxSubjectLength,
  suggestUsername,
  type Claims
} from './claims.js'
import { PendingSignIns, type PendingSignIn } from './pending-sign-ins.js'
import { isUnknownKey, SignInProblem, toProblem } from './problem.js'
import { getCallbackUrl, findProvider, getSignedOutUrl, type Provider } from './provider.js'
import { loadOpenidClient, type ProviderClient } from './provider-client.js'
import { parseUrl } from '../parse-url.js'

/** The browser of a request: its address, and the cookie of an earlier sign-in. */
export interface Visitor {
  readonly ip: string
  readonly browser: string | undefined
}

/** The redirect of a browser. */
export interface Redirect {
  readonly url: string
  /** The new value of its cookie. */
  readonly browser?: string
}

/** Maximum number of stored proofs. */
const maxProofs = 10_000
/** Seconds within which a proof has to be used: choosing a user name takes a while. */
const proofLifetime = 900

/** Begins and completes sign-ins at providers. */
export class SignIns {
  readonly #pending = new PendingSignIns()

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly platform: Pick<PlatformStore, 'change'>,
    private readonly providers: ProviderClient
  ) {}

  /**
   * Begins a sign-in. `secret`: of the page, which alone can use the result. `page`: where to return to, relative to
   * the root. Rejects with `unknown-resource`, `invalid-parameters-format`, `too-many-requests`; the page reports a
   * provider that cannot be reached.
   */
  async beginSignIn(name: string, secret: unknown, page: unknown, visitor: Visitor): Promise<Redirect> {
    const provider = this.#findProvider(name)
    if (typeof secret !== 'string' || !secretPattern.test(secret))
      fail('invalid-parameters-format', '"secret" must be 20 to 100 letters, digits, hyphens or underscores')
    const returnUrl = resolveOwnPage(this.config, page)
    try {
      const configuration = await this.providers.getConfiguration(provider)
      const client = await loadOpenidClient()
      const [state, nonce] = [client.randomState(), client.randomNonce()]
      const verifier = client.randomPKCECodeVerifier()
      const browser = visitor.browser ?? createToken() + createToken()
      const kept = {
        provider: name,
        nonce,
        verifier,
        browser: digestSecret(browser),
        secret: digestSecret(secret),
        page: returnUrl
      }
      this.#pending.add(state, kept, visitor.ip, this.clock.now())
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: getCallbackUrl(this.config, name),
        response_type: 'code',
        scope: provider.scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256'
      })
      return { url: url.href, browser }
    } catch (error) {
      return { url: this.#toProblemUrl(returnUrl, name, error) }
    }
  }

  /**
   * Completes a sign-in: exchanges the code for claims, and returns the page with a ticket, or with a problem, in the
   * fragment. `query`: of the callback, with its question mark. Rejects with `unknown-resource`.
   */
  async finishSignIn(name: string, query: string, { browser }: Visitor): Promise<Redirect> {
    const provider = this.#findProvider(name)
    const state = new URLSearchParams(query).get('state') ?? ''
    const now = this.clock.now()
    const pending = this.#pending.take(state, now)
    let page = resolveOwnPage(this.config, undefined)
    try {
      // The sign-in belongs to another browser or another provider.
      if (pending?.provider !== name || browser === undefined || pending.browser !== digestSecret(browser))
        throw new SignInProblem('expired')
      page = pending.page
      const claims = await this.#fetchClaims(provider, pending, state, query)
      const ticket = createToken() + createToken()
      const proof = toIdentityProof(provider, pending, claims)
      const digest = digestSecret(ticket)
      await this.platform.change('addProof', digest, proof, now, now + proofLifetime, maxProofs)
      return { url: `${page}#identity=${ticket}` }
    } catch (error) {
      return { url: this.#toProblemUrl(page, name, error) }
    }
  }

  /**
   * Returns the URL at which the user signs out at the provider; the service's own page if the provider has
   * no such URL, or cannot be reached. Rejects with `unknown-resource`.
   */
  async signOut(name: string): Promise<Redirect> {
    const provider = this.#findProvider(name)
    const page = getSignedOutUrl(this.config)
    try {
      const configuration = await this.providers.getConfiguration(provider)
      if (configuration.serverMetadata().end_session_endpoint === undefined) return { url: page }
      const { buildEndSessionUrl } = await loadOpenidClient()
      return { url: buildEndSessionUrl(configuration, { post_logout_redirect_uri: page }).href }
    } catch {
      return { url: page }
    }
  }

  #findProvider(name: string): Provider {
    return findProvider(this.config, name) ?? fail('unknown-resource', 'Unknown provider')
  }

  /** Redeems the code in a callback's query, and returns the claims of the user. Rejects if the response is invalid. */
  async #fetchClaims(
    provider: Provider,
    { nonce, verifier }: PendingSignIn,
    state: string,
    query: string
  ): Promise<Claims> {
    const client = await loadOpenidClient()
    const configuration = await this.providers.getConfiguration(provider)
    const tokens = await client
      .authorizationCodeGrant(configuration, new URL(getCallbackUrl(this.config, provider.name) + query), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true
      })
      .catch((error: unknown) => {
        // The provider has replaced its keys within the last minute. The code is used up, but the next sign-in works.
        if (isUnknownKey(error)) this.providers.forget(provider)
        throw error
      })
    const claims: Claims = { ...tokens.claims() }
    const subject = claims['sub']
    const wanted = ['email', ...(provider.allowedGroups.length > 0 ? [provider.groupsClaim] : [])]
    const isComplete = wanted.every(claim => Object.hasOwn(claims, claim))
    if (isComplete || typeof subject !== 'string') return claims
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(configuration, tokens.access_token, subject)), ...claims }
  }

  /** Returns the address of a page that shows why a sign-in failed, and logs the cause if it is one for the operator. */
  #toProblemUrl(page: string, name: string, error: unknown): string {
    const problem = toProblem(error)
    if (problem.reason !== undefined)
      this.providers.log.warn(`sign-in with the provider "${name}" failed`, { cause: problem.reason })
    return `${page}#identity-problem=${problem.kind}&provider=${name}`
  }
}

const secretPattern = /^[\w-]{20,100}$/

/** Returns the proof to store for claims. Throws a {@link SignInProblem}. */
function toIdentityProof(provider: Provider, { secret }: PendingSignIn, claims: Claims) {
  const { iss: issuer, sub: subject } = claims
  if (typeof issuer !== 'string' || typeof subject !== 'string') throw new SignInProblem('invalid')
  // Storage knows no lone surrogates: several subjects would be one.
  if (subject === '' || subject.length > maxSubjectLength || !subject.isWellFormed())
    throw new SignInProblem('invalid')
  if (!isInAllowedGroup(provider, claims)) throw new SignInProblem('group')
  const [email, username] = [getEmail(claims), suggestUsername(claims)]
  return {
    provider: provider.name,
    issuer,
    subject,
    secret,
    ...(email && { email }),
    ...(username !== undefined && { username }),
    hasSecondFactor: hasSecondFactor(provider, claims)
  }
}

/** Longest address of a page, relative to the root. */
const maxPageLength = 1000

/**
 * Returns the URL of a page of the service, without its fragment, given its address relative to the root; by default
 * the sign-in page. Users return from a provider only to such pages. Throws `invalid-parameters-format` for anything
 * but a page below `access/` or `app/`. (docs/spec/identities.md#redirects)
 */
function resolveOwnPage({ publicUrl }: Config, page: unknown): string {
  const root = new URL(`${publicUrl}/`).href
  if (page === undefined) return `${root}access/access.html`
  const url = typeof page === 'string' && page.length <= maxPageLength ? parseUrl(root + page) : undefined
  const isOwn = ['access/', 'app/'].some(folder => url?.href.startsWith(root + folder))
  if (!url || !isOwn)
    fail('invalid-parameters-format', '"page" must be a page of this service, such as access/access.html')
  url.hash = ''
  return url.href
}
