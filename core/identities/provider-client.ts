/** Calls providers of identities. Their metadata is read when needed, and cached for an hour. */
import type { Configuration } from 'openid-client'
import type { Log } from '../log.js'
import { Outgoing } from '../outgoing/http.js'
import { isLocal } from '../settings/groups/auth.js'
import type { Config } from '../settings/config.js'
import type { Clock } from '../time.js'
import type { Provider } from './provider.js'

interface CachedConfiguration {
  readonly configuration: Configuration
  /** Seconds. */
  readonly readAt: number
}

/** Seconds for which metadata of a provider is cached. The library fetches keys again if it does not know one, at most once a minute. */
const metadataAge = 3600
/** Maximum size of a response of a provider, in bytes. */
const maxBytes = 256 * 1024

/** The library is loaded when a provider is first used. */
export const loadOpenidClient = (): Promise<typeof import('openid-client')> => import('openid-client')

/** Makes the calls to providers. */
export class ProviderClient {
  readonly #cache = new Map<string, CachedConfiguration>()
  /** At most one request at a time for each provider: many users may sign in at once. */
  readonly #pending = new Map<string, Promise<Configuration>>()
  readonly #outgoing: Record<'guarded' | 'free', Outgoing>

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    readonly log: Log
  ) {
    const { oidcTimeoutMs: timeoutMs } = config.auth
    this.#outgoing = {
      guarded: new Outgoing({ allowInternal: false, timeoutMs }),
      free: new Outgoing({ allowInternal: true, timeoutMs })
    }
  }

  /**
   * Returns the configuration of a provider, at most an hour old. Rejects if the provider cannot be reached,
   * or the issuer in the configuration does not match.
   */
  async getConfiguration(provider: Provider): Promise<Configuration> {
    const known = this.#cache.get(provider.name)
    if (known && this.clock.now() - known.readAt < metadataAge) return known.configuration
    const running = this.#pending.get(provider.name)
    if (running) return await running
    const reading = this.#fetchConfiguration(provider)
    this.#pending.set(provider.name, reading)
    try {
      const configuration = await reading
      this.#cache.set(provider.name, { configuration, readAt: this.clock.now() })
      return configuration
    } finally {
      this.#pending.delete(provider.name)
    }
  }

  /** Reads the configuration and the keys of a provider again when they are needed next. */
  forget(provider: Provider): void {
    this.#cache.delete(provider.name)
  }

  /** Aborts calls in progress. */
  async close(): Promise<void> {
    await this.#outgoing.guarded.close()
    await this.#outgoing.free.close()
  }

  /** Fetches the configuration of a provider, and prepares authentication with it. */
  async #fetchConfiguration({
    clientId,
    clientSecret,
    issuer,
    tokenEndpointAuthMethod
  }: Provider): Promise<Configuration> {
    const client = await loadOpenidClient()
    const { oidcAllowInternalTargets, oidcTimeoutMs } = this.config.auth
    const outgoing = this.#outgoing[oidcAllowInternalTargets || isLocal(issuer) ? 'free' : 'guarded']
    const fetch = async (url: string, { body, headers, method, signal }: FetchOptions): Promise<Response> =>
      await outgoing.fetch(url, { method, headers, signal, body: body?.toString() }, maxBytes)
    const authenticate: import('openid-client').ClientAuth = (server, ...rest) => {
      if (clientSecret === undefined || clientSecret === '') return client.None()(server, ...rest)
      const supported = server.token_endpoint_auth_methods_supported
      const method =
        tokenEndpointAuthMethod ??
        (supported && !supported.includes('client_secret_basic')
          ? 'client_secret_post'
          : 'client_secret_basic')
      const how = method === 'client_secret_post' ? client.ClientSecretPost : client.ClientSecretBasic
      return how(clientSecret)(server, ...rest)
    }
    return await client.discovery(new URL(issuer), clientId, undefined, authenticate, {
      [client.customFetch]: fetch as never,
      timeout: Math.ceil(oidcTimeoutMs / 1000),
      // By default the library does not check the signature of a token received directly from the provider.
      execute: [
        client.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : [])
      ]
    })
  }
}

/** Options that the library passes. */
interface FetchOptions {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: { toString(): string } | null
  readonly signal?: AbortSignal
}
