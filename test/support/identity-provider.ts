/** A real OpenID Connect provider on loopback that signs in the person a test names. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type Context } from 'oidc-provider'
import type { Test } from 'tap'
import { coffer, type Client, type Overrides, type Service } from './coffer.js'
import { SignInVisitor } from './sign-in-visitor.js'

/** A person with an account at the provider. */
export interface Person {
  readonly sub: string
  readonly [claim: string]: unknown
}

export const clientSecret = 'a secret of the client'

export class IdentityProvider {
  /** The person who is signed in from now on; `undefined` for a person who denies the request. */
  person: Person | undefined = { sub: 'robin-at-work' }
  /** The authentication methods that they used. */
  amr: readonly string[] = ['pwd']
  /** The requested paths. */
  readonly asked: string[] = []

  constructor(
    readonly issuer: string,
    private readonly stopListening: () => Promise<void>
  ) {}

  /** Returns the provider as a setting of the service. */
  setting(more: object = {}): NonNullable<NonNullable<Overrides['auth']>['oidc']>[number] {
    const { issuer } = this
    return { name: 'work', label: 'Work', issuer, clientId: 'coffer', clientSecret, ...more }
  }

  /** Stops listening. */
  async stop(): Promise<void> {
    await this.stopListening()
  }
}

/** Starts a provider; the test's teardown stops it. It accepts every service on this machine, on any port. */
export async function identityProvider(t: Test): Promise<IdentityProvider> {
  let listener: RequestListener | undefined
  const server = createServer((request, response) => listener?.(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise<void>(resolve => server.close(() => resolve()))
  }
  t.teardown(stop)
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made = new IdentityProvider(issuer, stop)
  const people = new Map<string, Person>()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'coffer',
        client_secret: clientSecret,
        redirect_uris: ['http://127.0.0.1/auth/oidc/work/callback']
      }
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'groups', 'amr']
    },
    // As with many providers, claims are in the ID token.
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of cookies'] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    pkce: { required: () => true },
    interactions: { url: () => '/interaction' },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600
    },
    findAccount: (_context: Context, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people.get(id), amr: made.amr })
    }),
    async loadExistingGrant({ oidc: { client, session } }: Context) {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    }
  })
  const { prototype } = provider.Client
  prototype.redirectUriAllowed = uri => /^http:\/\/127\.0\.0\.1:\d+\/auth\/oidc\/\w+\/callback$/.test(uri)
  prototype.postLogoutRedirectUriAllowed = uri =>
    /^http:\/\/127\.0\.0\.1:\d+\/access\/access\.html$/.test(uri)
  const callback = provider.callback()
  listener = (request, response) => {
    made.asked.push((request.url ?? '').split('?')[0]!)
    // No session remains: a test names the person each time.
    const { cookie = '' } = request.headers
    request.headers.cookie = cookie.replaceAll(/_session[^=;]*=[^;]*;? ?/g, '')
    if (!request.url?.startsWith('/interaction')) return callback(request, response)
    const { amr, person } = made
    if (person) people.set(person.sub, person)
    const result = person
      ? { login: { accountId: person.sub, amr, remember: false } }
      : { error: 'access_denied', error_description: 'They said no' }
    void provider.interactionFinished(request, response, result)
  }
  return made
}

/** Starts a provider, and a service that uses it. */
export async function withProvider(
  t: Test,
  { auth, ...others }: Overrides = {},
  setting: object = {}
): Promise<{ service: Service & { alice: Client }; provider: IdentityProvider; visitor: SignInVisitor }> {
  const provider = await identityProvider(t)
  const service = await coffer(t, { ...others, auth: { ...auth, oidc: [provider.setting(setting)] } })
  return { service, provider, visitor: new SignInVisitor(service) }
}
