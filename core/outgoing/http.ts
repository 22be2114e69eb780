/**
 * HTTP calls to URLs chosen by users. Internal addresses are refused unless the settings allow them (SSRF), redirects
 * are not followed, time and size are limited, and only the status of the response is used.
 * (docs/spec/notifications.md#delivery)
 */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { isPrivate } from '../ip-range.js'
import { createGuardedConnector, InternalAddress, isInternal } from './guarded-connector.js'

interface OutgoingOptions {
  readonly allowInternal: boolean
  /** Set if only private addresses may be called: for content that must not cross the Internet unencrypted. */
  readonly onlyPrivate?: true
  readonly timeoutMs: number
}

interface OutgoingCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body of the request; a GET is sent without it. */
  readonly body: string
}

/** Maximum number of bytes of a response that are read, so that its connection can be reused. */
const readBytes = 64 * 1024
const headerBytes = 16 * 1024
/** Time for which an idle connection is kept open. */
const keepAliveMs = 4000

/** Thrown if no response came in time, if the response was too long, or if the server failed. */
export class NoResponse extends Error {}

/** A call whose response is read. */
export interface OutgoingFetch {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer | undefined
  readonly signal?: AbortSignal | undefined
}

/** Maximum number of seconds for which a server can ask not to be called again. */
const maxRetryAfter = 86_400

/** A response, or why there is none. `retryAfter` in seconds, a day at most. */
export type Exchange =
  | { readonly status: number; readonly text: string; readonly retryAfter?: number }
  | { readonly problem: 'internal' | 'timeout' | 'too-long' | 'unreachable' }

/** Loads undici on the first call to a URL: most services never make such a call, and loading costs time and memory. */
const loadUndici = (): Promise<typeof import('undici')> => import('undici')

/** Makes calls until it is closed. */
export class Outgoing {
  #dispatcher: Promise<Dispatcher> | undefined
  readonly #aborting = new AbortController()

  constructor(private readonly options: OutgoingOptions) {}

  /** Posts a text. Returns what {@link send} returns. */
  async post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number> {
    return await this.send({ method: 'POST', url, headers, body })
  }

  /**
   * Makes a call. Returns the status, or 0 if there was no response. Never rejects. Redirects are not
   * followed.
   */
  async send({ body, headers, method, url }: OutgoingCall): Promise<number> {
    try {
      await loadUndici()
      // The timeout starts here, so that loading the library does not count.
      const signal = AbortSignal.any([this.#aborting.signal, AbortSignal.timeout(this.options.timeoutMs)])
      const call = { method, headers, body: method === 'GET' ? undefined : body }
      const { body: responseBody, statusCode } = await this.#request(url, call, signal)
      await responseBody.dump({ limit: readBytes, signal })
      return statusCode
    } catch {
      return 0
    }
  }

  /**
   * Makes a call whose response is read, up to `maxBytes`. For URLs that an operator has chosen. Rejects with
   * a {@link NoResponse}, also for statuses from 500.
   */
  async fetch(url: string, { signal, ...call }: OutgoingFetch, maxBytes: number): Promise<Response> {
    try {
      await loadUndici()
      const timeout = AbortSignal.timeout(this.options.timeoutMs)
      const ends = AbortSignal.any([this.#aborting.signal, timeout, ...(signal ? [signal] : [])])
      const { body, headers, statusCode } = await this.#request(url, call, ends)
      if (statusCode >= 500) throw new Error(`status ${statusCode}`)
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
        chunks.push(chunk)
      }
      const isEmpty = statusCode === 204 || statusCode === 304
      return new Response(isEmpty ? null : Buffer.concat(chunks), {
        status: statusCode,
        headers: Object.entries(headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((each): [string, string] => [name, each])
        )
      })
    } catch (error) {
      throw new NoResponse(describeError(error), { cause: error })
    }
  }

  /**
   * Makes a call to a URL that others have chosen, and reads its response, up to `maxBytes`. Redirects are
   * not followed. Never rejects. Any status is a response.
   */
  async exchange(url: string, call: OutgoingFetch, maxBytes: number): Promise<Exchange> {
    const signal = AbortSignal.any([this.#aborting.signal, AbortSignal.timeout(this.options.timeoutMs)])
    try {
      const { body, headers, statusCode } = await this.#request(url, call, signal)
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxBytes) return { problem: 'too-long' }
        chunks.push(chunk)
      }
      return toExchange(statusCode, headers, chunks)
    } catch (error) {
      if (error instanceof InternalAddress) return { problem: 'internal' }
      return { problem: signal.aborted ? 'timeout' : 'unreachable' }
    }
  }

  /**
   * Makes a GET whose response may be large, and passes its bytes to `receive`. Redirects are not followed; `timeoutMs` limits the whole.
   * Returns what `receive` returns, or the response if its status is not 200. Rejects only as `receive` does for its own reasons.
   */
  async download<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
    receive: (source: Readable) => Promise<T>
  ): Promise<{ readonly received: T } | Exchange> {
    const signal = AbortSignal.any([this.#aborting.signal, AbortSignal.timeout(timeoutMs)])
    let problem: 'timeout' | 'too-long' | 'unreachable' | undefined
    let isReceiving = false
    const limit = async function* (body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
      let size = 0
      try {
        for await (const chunk of body) {
          size += chunk.length
          if (size > maxBytes) problem = 'too-long'
          if (problem) throw new Error(problem)
          yield chunk
        }
      } catch (error) {
        problem ??= signal.aborted ? 'timeout' : 'unreachable'
        throw error
      }
    }
    try {
      const {
        body,
        headers: received,
        statusCode
      } = await this.#request(url, { method: 'GET', headers }, signal)
      if (statusCode === 200) {
        isReceiving = true
        return { received: await receive(Readable.from(limit(body), { objectMode: true })) }
      }
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        if ((size += chunk.length) > readBytes) break
        chunks.push(chunk)
      }
      return toExchange(statusCode, received, chunks)
    } catch (error) {
      if (error instanceof InternalAddress) return { problem: 'internal' }
      if (problem === undefined && !signal.aborted && isReceiving) throw error
      return { problem: problem ?? (signal.aborted ? 'timeout' : 'unreachable') }
    }
  }

  /** Sends a request. Loads the HTTP client, and creates its connections, at the first one. */
  async #request(
    url: string,
    { body, headers, method }: Omit<OutgoingFetch, 'signal'>,
    signal: AbortSignal
  ): Promise<Dispatcher.ResponseData> {
    const { request } = await loadUndici()
    return await request(url, {
      ...(body !== undefined && { body }),
      dispatcher: await (this.#dispatcher ??= createDispatcher(this.options)),
      method: method as 'GET',
      headers: { ...headers },
      signal
    })
  }

  /** Aborts calls in progress; further ones fail. */
  async close(): Promise<void> {
    this.#aborting.abort()
    await (await this.#dispatcher)?.destroy()
  }
}

function toExchange(
  status: number,
  headers: Dispatcher.ResponseData['headers'],
  chunks: readonly Buffer[]
): Exchange {
  const retryAfter = Number(headers['retry-after'])
  const text = Buffer.concat(chunks).toString()
  return { status, text, ...(retryAfter > 0 && { retryAfter: Math.min(retryAfter, maxRetryAfter) }) }
}

function describeError(error: unknown): string {
  if (error instanceof InternalAddress) return 'the address is internal'
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  return typeof code === 'string' ? code : String(message)
}

/** Creates the connections of one kind of outgoing call, with the address check and timeouts of `options`. */
async function createDispatcher(options: OutgoingOptions): Promise<Dispatcher> {
  const { allowInternal, onlyPrivate, timeoutMs } = options
  const { Agent } = await loadUndici()
  const isRefused = onlyPrivate ? (address: string) => !isPrivate(address) : isInternal
  return new Agent({
    connect:
      allowInternal && !onlyPrivate
        ? { timeout: timeoutMs }
        : await createGuardedConnector(timeoutMs, isRefused),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: headerBytes,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs
  })
}
