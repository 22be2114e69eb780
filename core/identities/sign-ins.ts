/** Sends people to a provider and takes them back: authorization code with PKCE, state, nonce and issuer. (docs/spec/identities.md#the-way) */
import { digestSecret } from '../../schemas/secret-digest.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import { fail } from '../errors.js'
import { newToken } from '../ids.js'
import type { Config } from '../settings/config.js'
import type { Clock } from '../time.js'
import { emailIn, hasSecondFactor, isAllowed, longestSubject, usernameIn, type Claims } from './claims.js'
import { ownPage } from './own-page.js'
import { PendingSignIns, type PendingSignIn } from './pending.js'
import { SignInProblem, problemOf } from './problem.js'
import { callbackUrl, providerNamed, signedOutUrl, type Provider } from './provider.js'
import { openidClient, type Providers } from './providers.js'

/** What a browser comes with: where from, and the cookie of an earlier sign-in. */
export interface Visitor {
  readonly ip: string
  readonly browser: string | undefined
}

/** Where a browser is sent next. */
export interface Way {
  readonly url: string
  /** The value of its cookie from now on. */
  readonly browser?: string
}

/** Proofs that are kept at a time. */
const maxProofs = 10_000
/** Seconds within which a proof has to be used: to choose a user name takes a while. */
const proofLife = 900

export class SignIns {
  readonly #pending = new PendingSignIns()

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly platform: Pick<PlatformStore, 'change'>,
    private readonly providers: Providers
  ) {}

  /**
   * Begins a sign-in. `secret`: of the page, which alone can use what comes of it. `page`: where to return to, relative to the
   * root. Rejects with `unknown-resource`, `invalid-parameters-format`, `too-many-requests`; a provider that cannot be reached
   * is told by the page.
   */
  async begin(name: string, secret: unknown, page: unknown, visitor: Visitor): Promise<Way> {
    const provider = this.#provider(name)
    if (typeof secret !== 'string' || !secretPattern.test(secret))
      fail(
        'invalid-parameters-format',
        '"secret" has to be 20 to 100 letters, digits, hyphens and underscores'
      )
    const back = ownPage(this.config, page)
    try {
      const configuration = await this.providers.configuration(provider)
      const client = await openidClient()
      const [state, nonce] = [client.randomState(), client.randomNonce()]
      const verifier = client.randomPKCECodeVerifier()
      const browser = visitor.browser ?? newToken() + newToken()
      const kept = {
        provider: name,
        nonce,
        verifier,
        browser: digestSecret(browser),
        secret: digestSecret(secret),
        page: back
      }
      this.#pending.add(state, kept, visitor.ip, this.clock.now())
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl(this.config, name),
        response_type: 'code',
        scope: provider.scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256'
      })
      return { url: url.href, browser }
    } catch (error) {
      return { url: this.#withProblem(back, name, error) }
    }
  }

  /**
   * Ends a sign-in: takes what the provider says in exchange for the code, and returns the page with a ticket for it, or with
   * what went wrong, in the fragment. `query`: of the callback, with its question mark. Rejects with `unknown-resource`.
   */
  async finish(name: string, query: string, { browser }: Visitor): Promise<Way> {
    const provider = this.#provider(name)
    const state = new URLSearchParams(query).get('state') ?? ''
    const now = this.clock.now()
    const pending = this.#pending.take(state, now)
    let page = ownPage(this.config, undefined)
    try {
      // Of another browser, or another provider: somebody else's.
      if (pending?.provider !== name || browser === undefined || pending.browser !== digestSecret(browser))
        throw new SignInProblem('expired')
      page = pending.page
      const claims = await this.#claims(provider, pending, state, query)
      const ticket = newToken() + newToken()
      const proof = proofOf(provider, pending, claims)
      const digest = digestSecret(ticket)
      await this.platform.change('addProof', digest, proof, now, now + proofLife, maxProofs)
      return { url: `${page}#identity=${ticket}` }
    } catch (error) {
      return { url: this.#withProblem(page, name, error) }
    }
  }

  /** Returns where somebody signs out at the provider; our own page if it offers nothing of the kind. Rejects with `unknown-resource`. */
  async leave(name: string): Promise<Way> {
    const provider = this.#provider(name)
    const page = signedOutUrl(this.config)
    try {
      const configuration = await this.providers.configuration(provider)
      if (configuration.serverMetadata().end_session_endpoint === undefined) return { url: page }
      const { buildEndSessionUrl } = await openidClient()
      return { url: buildEndSessionUrl(configuration, { post_logout_redirect_uri: page }).href }
    } catch {
      return { url: page }
    }
  }

  #provider(name: string): Provider {
    return providerNamed(this.config, name) ?? fail('unknown-resource', 'There is no provider of this name')
  }

  async #claims(
    provider: Provider,
    { nonce, verifier }: PendingSignIn,
    state: string,
    query: string
  ): Promise<Claims> {
    const client = await openidClient()
    const configuration = await this.providers.configuration(provider)
    const tokens = await client.authorizationCodeGrant(
      configuration,
      new URL(callbackUrl(this.config, provider.name) + query),
      { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
    )
    const claims: Claims = { ...tokens.claims() }
    const subject = claims['sub']
    const wanted = ['email', ...(provider.allowedGroups.length > 0 ? [provider.groupsClaim] : [])]
    const isComplete = wanted.every(claim => Object.hasOwn(claims, claim))
    if (isComplete || typeof subject !== 'string') return claims
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(configuration, tokens.access_token, subject)), ...claims }
  }

  #withProblem(page: string, name: string, error: unknown): string {
    const problem = problemOf(error)
    if (problem.reason !== undefined)
      this.providers.log.warn(`signing in by the provider "${name}" failed`, { cause: problem.reason })
    return `${page}#identity-problem=${problem.kind}&provider=${name}`
  }
}

const secretPattern = /^[\w-]{20,100}$/

/** What is kept of the claims. Throws a {@link SignInProblem}. */
function proofOf(provider: Provider, { secret }: PendingSignIn, claims: Claims) {
  const { iss: issuer, sub: subject } = claims
  if (typeof issuer !== 'string' || typeof subject !== 'string') throw new SignInProblem('invalid')
  // Storage knows no lone surrogates: several subjects would be one.
  if (subject === '' || subject.length > longestSubject || !subject.isWellFormed())
    throw new SignInProblem('invalid')
  if (!isAllowed(provider, claims)) throw new SignInProblem('group')
  const [email, username] = [emailIn(claims), usernameIn(claims)]
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
