/**
 * Calls methods of one account: by their ids, in batches, with the session of the page or with the token of a link. Used by all
 * pages of the app.
 */
import { answerIn, refusalOf, send, type ErrorBody, type Refusal } from '../../api.js'
import { upload, type Sending } from './upload.js'

/** A call waiting for the batch of this turn of the event loop. */
interface Waiting {
  readonly method: string
  readonly params: object
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

interface Batch {
  readonly results: object[]
  readonly meta: { readonly serverTime: number }
}

/** Most calls in a batch, because their answers wait for each other. */
const mostCalls = 50

export class Client {
  #waiting: Waiting[] = []
  #onEnd: () => void = () => {}
  #serverTime: number | undefined

  /** `token`: of a link, for a page that has no session. */
  constructor(
    readonly username: string,
    private readonly token?: string
  ) {}

  /** What time it was for the service when it last answered, in seconds. */
  get serverTime(): number | undefined {
    return this.#serverTime
  }

  /** Calls `listener` when a call is refused because the session, or the access, has ended. */
  onEnd(listener: () => void): void {
    this.#onEnd = listener
  }

  /** Calls a method; those of the same turn are sent in one request. Rejects with a `Refusal`. */
  async call<T>(method: string, params: object = {}): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      this.#waiting.push({ method, params, resolve, reject })
      if (this.#waiting.length === 1) queueMicrotask(() => this.#send())
    })
  }

  /** Calls a method in a request of its own, which `signal` gives up: for answers that others should not wait for. */
  async callAlone<T>(method: string, params: object, signal?: AbortSignal): Promise<T> {
    const [result] = await this.#batch([{ method, params }], signal)
    return this.#judgedResult(result!) as T
  }

  /** Calls methods one after the other in one request; each result, or a `Refusal` in its place. */
  async batch(calls: readonly { readonly method: string; readonly params: object }[]): Promise<unknown[]> {
    const results = await this.#batch(calls)
    return results.map(result => errorIn(result) ?? result)
  }

  /**
   * Calls methods that belong together in a request of their own, which `signal` gives up. Rejects with the first `Refusal` among
   * the results.
   */
  async some<T extends unknown[]>(
    calls: readonly { readonly method: string; readonly params: object }[],
    signal?: AbortSignal
  ): Promise<T> {
    const results = await this.#batch(calls, signal)
    return results.map(result => this.#judgedResult(result)) as T
  }

  /** Sends a request to a path below the root of the account, such as an upload. Rejects with a `Refusal` if it is refused. */
  async request<T>(verb: string, path: string, init: RequestInit = {}): Promise<T> {
    return await this.#judged(async () => await answerIn<T>(await this.#fetch(verb, path, init)))
  }

  /**
   * Reads a file, such as an attachment or a preview, as a blob; `onBytes` is told how much of it has been read. Rejects with a
   * `Refusal` if it is refused.
   */
  async file(path: string, signal?: AbortSignal, onBytes?: (bytes: number) => void): Promise<Blob> {
    const response = await this.#fetch('GET', path, signal ? { signal } : {})
    if (response.ok) {
      if (!onBytes || !response.body) return await response.blob()
      let bytes = 0
      const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          onBytes((bytes += chunk.length))
          controller.enqueue(chunk)
        }
      })
      return await new Response(response.body.pipeThrough(counted)).blob()
    }
    return await this.#judged(async () => await answerIn<never>(response))
  }

  /** Posts files to a path below the root of the account; `onProgress` gets the part that has been sent, from 0 to 1. */
  upload<T>(path: string, form: FormData, onProgress: (part: number) => void): Sending<T> {
    const { done, cancel } = upload<T>(
      `${encodeURIComponent(this.username)}/${path}`,
      form,
      this.token,
      onProgress
    )
    return { done: this.#judged(async () => await done), cancel }
  }

  async #fetch(verb: string, path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.token !== undefined) headers.set('Authorization', this.token)
    return await send(verb, `${encodeURIComponent(this.username)}/${path}`, { ...init, headers })
  }

  #send(): void {
    const calls = this.#waiting
    this.#waiting = []
    for (let from = 0; from < calls.length; from += mostCalls)
      void this.#sendSome(calls.slice(from, from + mostCalls))
  }

  async #sendSome(calls: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#batch(calls.map(({ method, params }) => ({ method, params })))
      calls.forEach(({ resolve, reject }, index) => {
        try {
          resolve(this.#judgedResult(results[index]!) as never)
        } catch (error) {
          reject(error)
        }
      })
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
  }

  async #batch(calls: readonly object[], signal?: AbortSignal): Promise<object[]> {
    const init = {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(calls),
      ...(signal ? { signal } : {})
    }
    const { meta, results } = await this.request<Batch>('POST', '', init)
    this.#serverTime = meta.serverTime
    return results
  }

  #judgedResult(result: object): object {
    const error = errorIn(result)
    if (!error) return result
    this.#judge(error)
    throw error
  }

  async #judged<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#judge(error as Refusal)
      throw error
    }
  }

  #judge({ id }: Partial<Refusal>): void {
    if (id === 'invalid-access-token') this.#onEnd()
  }
}

function errorIn(result: object): Refusal | undefined {
  const { error } = result as { error?: ErrorBody }
  return error === undefined || 'id' in result ? undefined : refusalOf(error)
}
