/** A provider on loopback that returns whatever a test wants, with its own keys: for forged and broken responses. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type GenerateKeyPairResult,
  type JWK
} from 'jose'
import type { Test } from 'tap'
import type { Overrides } from './coffer.js'

/** The response of the token endpoint: by default a correct ID token for {@link ForgingProvider.claims}. */
type Answer = (response: ServerResponse) => Promise<void> | void

export class ForgingProvider {
  issuer = ''
  /** Added to the correct claims. */
  claims: Record<string, unknown> = {}
  /** The response of `userinfo`; without one there is no such endpoint. */
  userinfo: Record<string, unknown> | undefined
  /** Added to the correct metadata. */
  metadata: Record<string, unknown> = {}
  /** Replaces the correct responses, by path. */
  readonly answers = new Map<string, Answer>()
  /** Parameters of the callback in addition to code and state. */
  told: Record<string, string | null> = {}
  /** Bodies of the requests to the token endpoint. */
  readonly exchanged: URLSearchParams[] = []
  /** The last authorization request. */
  authorization = new URLSearchParams()
  /** The URL of the last redirect. */
  callback = ''
  readonly asked: string[] = []
  signer: CryptoKey
  alg = 'RS256'
  /** The id of the key. */
  kid = 'one'

  constructor(
    readonly key: CryptoKey,
    readonly other: CryptoKey,
    private readonly jwk: JWK
  ) {
    this.signer = key
  }

  setting(more: object = {}): NonNullable<NonNullable<Overrides['auth']>['oidc']>[number] {
    return {
      name: 'work',
      label: 'Work',
      issuer: this.issuer,
      clientId: 'coffer',
      clientSecret: 'secret',
      ...more
    }
  }

  /** Creates an ID token with these claims. */
  async idToken(claims: Record<string, unknown> = this.claims): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const nonce = this.authorization.get('nonce')
    const standard = { iss: this.issuer, aud: 'coffer', sub: 'robin', nonce, iat: now, exp: now + 300 }
    const payload = { ...standard, ...claims }
    if (this.alg === 'none') return new UnsecuredJWT(payload).encode()
    return await new SignJWT(payload).setProtectedHeader({ alg: this.alg, kid: this.kid }).sign(this.signer)
  }

  /** Answers as an identity provider, unless the test has set another answer for the path. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer)
    this.asked.push(url.pathname)
    const body = await textOf(request)
    const own = this.answers.get(url.pathname)
    if (url.pathname === '/token') this.exchanged.push(new URLSearchParams(body))
    if (own) return await own(response)
    if (url.pathname === '/.well-known/openid-configuration') return json(response, this.#metadata())
    if (url.pathname === '/jwks')
      return json(response, { keys: [{ ...this.jwk, kid: this.kid, alg: 'RS256', use: 'sig' }] })
    if (url.pathname === '/userinfo') return json(response, this.userinfo ?? {})
    if (url.pathname === '/authorize') return this.#authorize(url, response)
    if (url.pathname === '/token')
      return json(response, { access_token: 'a', token_type: 'Bearer', id_token: await this.idToken() })
    response.writeHead(404).end()
  }

  #metadata(): object {
    const { issuer } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      ...(this.userinfo && { userinfo_endpoint: `${issuer}/userinfo` }),
      authorization_response_iss_parameter_supported: true,
      ...this.metadata
    }
  }

  #authorize(url: URL, response: ServerResponse): void {
    this.authorization = url.searchParams
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    const told = { code: 'a-code', state: url.searchParams.get('state'), iss: this.issuer, ...this.told }
    for (const [name, value] of Object.entries(told)) if (value !== null) back.searchParams.set(name, value)
    this.callback = back.href
    response.writeHead(302, { location: back.href }).end()
  }
}

/** Created once: it takes a while. */
let keys: Promise<[GenerateKeyPairResult, GenerateKeyPairResult]> | undefined

/** Starts a provider; the test's teardown stops it. */
export async function forgingProvider(t: Test): Promise<ForgingProvider> {
  const [own, other] = await (keys ??= Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]))
  const made = new ForgingProvider(own.privateKey, other.privateKey, await exportJWK(own.publicKey))
  const listener: RequestListener = (request, response) => void made.serve(request, response)
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  made.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return made
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
