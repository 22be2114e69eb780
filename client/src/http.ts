/** Sends HTTP requests to a service: headers, timeouts, retries, and conversion of failures to errors. */
import { CofferError, toCofferError, parseRetryAfter, type ErrorBody } from './errors.js'
import { proxyErrors, withRetries, type RetryOptions } from './retries.js'

export interface HttpOptions {
  /** The token of an access, sent as `Authorization`. */
  readonly token?: string | undefined
  /** Headers added to each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the platform's `fetch`. If it rejects with a `CofferError`, that error is passed on. */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
  /** Seconds within which a response must begin; 0: no limit. Default: 120. */
  readonly timeout?: number
  /** Maximum number of retries. Default: 4. */
  readonly retries?: number
  /**
   * True for the service's own pages: they use the session in an `HttpOnly` cookie instead of a token.
   * (docs/spec/authentication.md#sessions-of-pages)
   */
  readonly isPage?: boolean
}

/** Options of a request. */
export interface Sent {
  /** A body, sent as JSON. */
  readonly json?: unknown
  /** A body of another kind. */
  readonly body?: Exclude<RequestInit['body'], null>
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the token. */
  readonly token?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether the request is idempotent. Default: true for `GET`, `HEAD` and `PUT`. */
  readonly isRepeatable?: boolean
  /** The cache mode, as in the options of `fetch`. */
  readonly cache?: 'no-store'
  readonly keepalive?: boolean
}

/**
 * Redirects are not followed, because 307 and 308 would resend the body and headers to another origin. Pages must follow them:
 * browsers hide redirect responses from scripts, and the service uses 302 to ask for a second factor.
 */
const redirect = 'document' in globalThis ? 'follow' : 'manual'

const repeatableVerbs: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT'])

export class Http {
  /** Base URL of all paths; ends in `/`. */
  readonly root: URL

  constructor(
    root: string | URL,
    readonly options: HttpOptions = {}
  ) {
    this.root = new URL(root)
    if (!this.root.pathname.endsWith('/')) this.root.pathname += '/'
  }

  /**
   * Sends a request and returns the response, whatever its status. Retries with a delay if it is postponed (429,
   * or 503 with `Retry-After`); if it is repeatable, also after no response or a proxy's error. Rejects with a
   * {@link CofferError} if there is no response in the end, and with the signal's reason if it is aborted.
   */
  async send(verb: string, path: string, sent: Sent = {}): Promise<Response> {
    let refused: Response | undefined
    const attempt = async (): Promise<Response> => {
      void refused?.body?.cancel()
      refused = undefined
      const response = await this.#fetch(verb, path, sent)
      if (response.status !== 429 && !proxyErrors.has(response.status)) return response
      refused = response
      throw toResponseError(response, undefined)
    }
    try {
      return await withRetries(attempt, this.#retryOptions(verb, sent))
    } catch (error) {
      if (refused && !sent.signal?.aborted) return refused
      throw error
    }
  }

  /** Sends a request and returns the JSON of the response. Retries and rejects like {@link send}, and rejects with a {@link CofferError} if the response is an error. */
  async request<T>(verb: string, path: string, sent: Sent = {}): Promise<T> {
    return await withRetries(
      async () => await this.requestOnce<T>(verb, path, sent),
      this.#retryOptions(verb, sent)
    )
  }

  /** Sends a request like {@link request}, without retries. */
  protected async requestOnce<T>(verb: string, path: string, sent: Sent): Promise<T> {
    return await readResponse<T>(await this.#fetch(verb, path, sent))
  }

  /** Returns the headers of a request, without those that describe its body. */
  headers({ headers, token = this.options.token }: Pick<Sent, 'headers' | 'token'> = {}): Record<
    string,
    string
  > {
    return {
      ...this.options.headers,
      ...(this.options.isPage ? { 'Coffer-App': '1' } : {}),
      ...(token === undefined ? {} : { Authorization: token }),
      ...headers
    }
  }

  /** Returns the URL of a path. Throws a `TypeError` for other origins, which must not receive the token. */
  address(path: string): URL {
    const url = new URL(path, this.root)
    if (url.origin !== this.root.origin) throw new TypeError(`${url.href} is not below ${this.root.href}`)
    return url
  }

  /** Maximum number of retries. */
  protected get retries(): number {
    return this.options.retries ?? 4
  }

  #retryOptions(
    verb: string,
    { body, isRepeatable = repeatableVerbs.has(verb), signal }: Sent
  ): RetryOptions {
    // A stream cannot be read twice.
    return { retries: isStream(body) ? 0 : this.retries, isRepeatable, signal }
  }

  /** Sends a request with a timeout for the response's head. Rejects as {@link send} does. */
  async #fetch(verb: string, path: string, sent: Sent): Promise<Response> {
    const { body, cache, json, keepalive, signal } = sent
    const { fetch: sendFetch = fetch, isPage = false, timeout = 120 } = this.options
    const url = this.address(path)
    const deadline = timeout > 0 ? new AbortController() : undefined
    const timer = deadline && setTimeout(() => deadline.abort(), timeout * 1000)
    const signals = [signal, deadline?.signal].filter(each => each !== undefined)
    const sentBody = json === undefined ? body : JSON.stringify(json)
    try {
      return await sendFetch(url, {
        method: verb,
        headers: {
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...this.headers(sent)
        },
        credentials: isPage ? 'same-origin' : 'omit',
        redirect,
        ...(sentBody === undefined ? {} : { body: sentBody }),
        ...(cache === undefined ? {} : { cache }),
        ...(keepalive === undefined ? {} : { keepalive }),
        ...(isStream(sentBody) ? { duplex: 'half' } : {}),
        ...(signals.length > 0 ? { signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0]! } : {})
      })
    } catch (cause) {
      if (signal?.aborted || cause instanceof CofferError) throw cause
      if (deadline?.signal.aborted) throw new CofferError('timeout', `No answer within ${timeout} seconds`)
      throw createOfflineError(cause)
    } finally {
      clearTimeout(timer)
    }
  }
}

function isStream(body: unknown): boolean {
  return typeof ReadableStream !== 'undefined' && body instanceof ReadableStream
}

/**
 * Returns the JSON of a response, `{}` if the response is empty. Rejects with a {@link CofferError} if the response is
 * an error.
 */
export async function readResponse<T>(response: Response): Promise<T> {
  const answer = (await readBody(response)) as T & { error?: ErrorBody }
  // A successful result may contain an `error`, too. A challenge has status 302, a refused access request 403.
  if (response.ok || (answer.error === undefined && 'meta' in answer)) return answer
  throw toResponseError(response, answer.error)
}

/**
 * Returns the JSON body of a response; empty if an error has none. Rejects with a `CofferError` if it is cut off, or a
 * success is no object.
 */
async function readBody(response: Response): Promise<{ error?: ErrorBody }> {
  const text = await response.text().catch((cause: unknown) => {
    throw cause instanceof TypeError ? createOfflineError(cause) : cause
  })
  try {
    const body: unknown = JSON.parse(text === '' ? '{}' : text)
    if (typeof body === 'object' && body !== null) return body
  } catch {
    // The body is not JSON: it may be an error page of a proxy.
  }
  if (response.ok)
    throw toResponseError(response, { id: 'unexpected-error', message: 'The answer is not a JSON object' })
  return {}
}

function toResponseError({ headers, status }: Response, body: ErrorBody | undefined): CofferError {
  return toCofferError(body ?? (proxyErrors.has(status) ? { id: 'api-unavailable' } : {}), {
    status,
    retryAfter: parseRetryAfter(headers.get('Retry-After'))
  })
}

/** Creates the error of a call that got no response. */
export function createOfflineError(cause?: unknown): CofferError {
  return Object.assign(new CofferError('offline', 'The service cannot be reached'), { cause })
}
