/** Calls methods of one account, one at a time or in batches. */
import {
  findCreated,
  isRepeatable,
  type UntypedCall,
  type Arguments,
  type Call,
  type MethodId,
  type Result,
  type Results
} from './calls.js'
import { parseEndpoint, type Endpoint } from './endpoint.js'
import { findError, type CofferError } from './errors.js'
import { Http, type HttpOptions } from './http.js'
import { splitBatch, type BatchRequest } from './split-batch.js'
import { withRetries } from './retries.js'

export interface CofferOptions extends HttpOptions {
  /** The user, if the endpoint's path does not end in the username. */
  readonly username?: string
  /** Sends calls made in the same turn of the event loop in one request. Default: false. */
  readonly areJoined?: boolean
}

export interface CallOptions {
  /** Cancels the call. A call with a signal is sent in a request of its own. */
  readonly signal?: AbortSignal | undefined
}

export interface BatchOptions extends CallOptions {
  /** Maximum calls per request. Default: 1000. */
  readonly callsAtOnce?: number
  /** Called after each request with the number of completed calls, the total, and the results so far. */
  readonly onProgress?: (done: number, total: number, results: readonly unknown[]) => void
}

interface BatchResponse {
  readonly results: readonly object[]
  readonly meta: { readonly serverTime: number }
}

/** A call that will be sent at the end of this turn of the event loop. */
interface PendingCall {
  readonly call: UntypedCall
  readonly resolve: (result: object) => void
  readonly reject: (error: unknown) => void
}

/** Maximum calls sent in one joined request: no call resolves before all have run. */
const maxJoinedCalls = 50

export class Coffer extends Http {
  /** The account's endpoint, with the token, if the client has one. */
  readonly endpoint: Endpoint
  readonly username: string
  readonly #areJoined: boolean
  #pending: PendingCall[] = []
  #serverTime: number | undefined

  /** Creates a client for an account. `apiEndpoint` is its root URL, with or without a token: `https://{token}@{host}/{user}/`. */
  constructor(apiEndpoint: string | URL, options: CofferOptions = {}) {
    const { token = options.token, ...account } = parseEndpoint(apiEndpoint)
    super(account.root, { ...options, token })
    this.username = options.username ?? account.username
    this.endpoint = { ...account, username: this.username, ...(token === undefined ? {} : { token }) }
    this.#areJoined = options.areJoined ?? false
  }

  /** The service's time at its last response, in seconds since 1970. Undefined before the first response. */
  get serverTime(): number | undefined {
    return this.#serverTime
  }

  /**
   * Calls a method. Rejects with a {@link CofferError}, or with the signal's reason if it is aborted.
   *
   * A postponed call (429, or 503 with `Retry-After`) is retried with increasing delays. A call that got no response is
   * retried only if it is idempotent: reads, updates, points of series, and events that are created with an `id`, such
   * as an id from `newId`.
   */
  async call<M extends MethodId>(
    method: M,
    ...[params, { signal } = {}]: Arguments<M, CallOptions>
  ): Promise<Result<M>> {
    const call = { method, params }
    return await (this.#areJoined && !signal ? this.#callJoined(call) : this.#callSingle(call, signal))
  }

  /**
   * Calls methods in order. Resolves with their results in the same order, with a {@link CofferError} in place of each call that
   * was refused. Long batches are split into several sequential requests. Rejects if a request fails: `onProgress` has then
   * received the results so far.
   */
  async batch<const C extends readonly Call[]>(calls: C, options: BatchOptions = {}): Promise<Results<C>> {
    const { callsAtOnce = 1000, onProgress, signal } = options
    const results: unknown[] = []
    for (const batch of splitBatch(calls, callsAtOnce)) {
      for (const result of await this.#send(batch, signal)) results.push(findError(result) ?? result)
      onProgress?.(results.length, calls.length, results)
    }
    return results as Results<C>
  }

  async #callSingle(call: UntypedCall, signal: AbortSignal | undefined): Promise<object> {
    const [batch] = splitBatch([call], 1)
    const [result] = await this.#send(batch!, signal, true)
    const error = findError(result!)
    if (error) throw error
    return result!
  }

  async #callJoined(call: UntypedCall): Promise<object> {
    return await new Promise((resolve, reject) => {
      this.#pending.push({ call, resolve, reject })
      if (this.#pending.length === 1) queueMicrotask(() => this.#sendPending())
    })
  }

  /** Sends the calls that are waiting, in batches. */
  #sendPending(): void {
    const pending = this.#pending
    this.#pending = []
    let begin = 0
    for (const batch of splitBatch(
      pending.map(({ call }) => call),
      maxJoinedCalls
    )) {
      const end = begin + batch.calls.length
      void this.#settle(batch, pending.slice(begin, end))
      begin = end
    }
  }

  async #settle(batch: BatchRequest, pending: readonly PendingCall[]): Promise<void> {
    try {
      const results = await this.#send(batch)
      pending.forEach(({ resolve, reject }, index) => {
        const error = findError(results[index]!)
        if (error) reject(error)
        else resolve(results[index]!)
      })
    } catch (error) {
      for (const { reject } of pending) reject(error)
    }
  }

  /** Sends calls in one request. `isSingle`: a `too-many-requests` error in the result is retried, too. */
  async #send(batch: BatchRequest, signal?: AbortSignal, isSingle = false): Promise<readonly object[]> {
    let attempts = 0
    const attempt = async (): Promise<readonly object[]> => {
      attempts += 1
      const request = { body: batch.json, headers: { 'Content-Type': 'application/json' }, signal }
      const { meta, results } = await this.requestOnce<BatchResponse>('POST', '', request)
      this.#serverTime = meta.serverTime
      const error = isSingle ? findError(results[0]!) : undefined
      if (error?.id === 'too-many-requests') throw error
      if (attempts === 1) return results
      // An event that an earlier attempt has created exists.
      return await Promise.all(
        results.map(
          async (result, index) =>
            (await findCreated(this, batch.calls[index]!, findError(result), signal)) ?? result
        )
      )
    }
    const retryOptions = { retries: this.retries, isRepeatable: batch.calls.every(isRepeatable), signal }
    return await withRetries(attempt, retryOptions)
  }
}

/** Returns the results of a batch. Throws the first error among the results. */
export function settled<R extends readonly unknown[]>(
  results: R
): { -readonly [I in keyof R]: Exclude<R[I], CofferError> } {
  for (const result of results) if (result instanceof Error) throw result
  return results as { -readonly [I in keyof R]: Exclude<R[I], CofferError> }
}
