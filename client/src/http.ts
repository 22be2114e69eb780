/** Requests to a service: headers, time limits, retries, and errors in place of what is not an answer. */
import { CofferError, errorOf, retryAfterIn, type ErrorBody } from './errors.js'
import { withRetries, type Retrying } from './retries.js'

export interface HttpOptions {
  /** The token of an access, sent as `Authorization`. */
  readonly token?: string | undefined
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the `fetch` of the platform. What it rejects with as a `CofferError` is passed on. */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
  /** Seconds until an answer has to begin; 0: any time. Default: 120. */
  readonly timeout?: number
  /** Further attempts of what may be tried again, at most. Default: 4. */
  readonly retries?: number
  /**
   * For pages of the service itself: the session is in a cookie that no script can read, in place of a token.
   * (docs/spec/authentication.md#sessions-of-pages)
   */
  readonly isPage?: boolean
}

/** A request to a path below the root. */
export interface Sent {
  /** A body, sent as JSON. */
  readonly json?: unknown
  /** A body of another kind. */
  readonly body?: Exclude<RequestInit['body'], null>
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the token. */
  readonly token?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether it may be made twice. Default: whether it is a `GET`, `HEAD` or `PUT`. */
  readonly isRepeatable?: boolean
  /** As those of `fetch`. */
  readonly cache?: 'no-store'
  readonly keepalive?: boolean
}

/**
 * What is sent is for this service alone, and 307 and 308 would have it sent elsewhere. Not so in a page: browsers hide there
 * all that has such a status, and with 302 the service asks for a second factor.
 */
const redirect = 'document' in globalThis ? 'follow' : 'manual'

const repeatableVerbs: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT'])

export class Http {
  /** All paths are below it; ends in `/`. */
  readonly root: URL

  constructor(
    root: string | URL,
    readonly options: HttpOptions = {}
  ) {
    this.root = new URL(root)
    if (!this.root.pathname.endsWith('/')) this.root.pathname += '/'
  }

  /**
   * Sends a request and returns the answer, whatever its status. Rejects with a {@link CofferError} if there is none; with the
   * signal's reason if that is aborted.
   */
  async send(verb: string, path: string, sent: Sent = {}): Promise<Response> {
    let refusal: Response | undefined
    const attempt = async (): Promise<Response> => {
      void refusal?.body?.cancel()
      refusal = undefined
      const response = await this.#fetch(verb, path, sent)
      if (response.status !== 429 && !lateStatuses.has(response.status)) return response
      refusal = response
      throw errorFrom(response, undefined)
    }
    try {
      return await withRetries(attempt, this.#retrying(verb, sent))
    } catch (error) {
      if (refusal && !sent.signal?.aborted) return refusal
      throw error
    }
  }

  /** Sends a request and returns the JSON of the answer. Rejects as {@link send}, or if the answer is an error. */
  async request<T>(verb: string, path: string, sent: Sent = {}): Promise<T> {
    return await withRetries(async () => await this.once<T>(verb, path, sent), this.#retrying(verb, sent))
  }

  /** As {@link request}, in one attempt. */
  protected async once<T>(verb: string, path: string, sent: Sent): Promise<T> {
    return await answerIn<T>(await this.#fetch(verb, path, sent))
  }

  /** The headers of a request, without those of its body. */
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

  /** The address of a path. Throws a `TypeError` for one elsewhere: the token is for this service alone. */
  address(path: string): URL {
    const url = new URL(path, this.root)
    if (url.origin !== this.root.origin) throw new TypeError(`${url.href} is not below ${this.root.href}`)
    return url
  }

  /** Further attempts of a call, at most. */
  protected get retries(): number {
    return this.options.retries ?? 4
  }

  #retrying(verb: string, { body, isRepeatable = repeatableVerbs.has(verb), signal }: Sent): Retrying {
    // What has been read from a stream is gone.
    return { retries: isStream(body) ? 0 : this.retries, isRepeatable, signal }
  }

  async #fetch(verb: string, path: string, sent: Sent): Promise<Response> {
    const { body, cache, json, keepalive, signal } = sent
    const { fetch: ask = fetch, isPage = false, timeout = 120 } = this.options
    const url = this.address(path)
    const late = timeout > 0 ? new AbortController() : undefined
    const timer = late && setTimeout(() => late.abort(), timeout * 1000)
    const signals = [signal, late?.signal].filter(each => each !== undefined)
    const sentBody = json === undefined ? body : JSON.stringify(json)
    try {
      return await ask(url, {
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
      if (late?.signal.aborted) throw new CofferError('timeout', `No answer within ${timeout} seconds`)
      throw offline(cause)
    } finally {
      clearTimeout(timer)
    }
  }
}

function isStream(body: unknown): boolean {
  return typeof ReadableStream !== 'undefined' && body instanceof ReadableStream
}

/** Returns the JSON of an answer, an empty object if it is empty. Rejects with a {@link CofferError} if it is an error. */
export async function answerIn<T>(response: Response): Promise<T> {
  const answer = (await bodyOf(response)) as T & { error?: ErrorBody }
  // A successful answer may contain an `error`, too; a challenge comes with 302, a refused request with 403.
  if (response.ok || (answer.error === undefined && 'meta' in answer)) return answer
  throw errorFrom(response, answer.error)
}

async function bodyOf(response: Response): Promise<{ error?: ErrorBody }> {
  const text = await response.text().catch((cause: unknown) => {
    throw cause instanceof TypeError ? offline(cause) : cause
  })
  try {
    const body: unknown = JSON.parse(text === '' ? '{}' : text)
    if (typeof body === 'object' && body !== null) return body
  } catch {
    // A page of a proxy, perhaps.
  }
  if (response.ok)
    throw errorFrom(response, { id: 'unexpected-error', message: 'The answer is not a JSON object' })
  return {}
}

/** Statuses that proxies give when the service does not answer them. */
const lateStatuses: ReadonlySet<number> = new Set([502, 503, 504])

function errorFrom({ headers, status }: Response, body: ErrorBody | undefined): CofferError {
  return errorOf(body ?? (lateStatuses.has(status) ? { id: 'api-unavailable' } : {}), {
    status,
    retryAfter: retryAfterIn(headers.get('Retry-After'))
  })
}

/** The error for a call without an answer. */
export function offline(cause?: unknown): CofferError {
  return Object.assign(new CofferError('offline', 'The service cannot be reached'), { cause })
}
