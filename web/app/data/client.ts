/**
 * Calls methods of one account, singly or in batches, with the session of the page or the token of a shared link. Used by all
 * pages of the app. Never retries: pages offer that to the user.
 */
import type { MethodId } from '../../../client/src/calls.js'
import { Coffer, settled } from '../../../client/src/coffer.js'
import { download } from '../../../client/src/downloads.js'
import { postForm } from '../../../client/src/post-form.js'
import { sendFetch, keepsSession, root, type Refusal } from '../../api.js'
import { isOfflineError, isReachable } from './reachable.js'

/** A call with unchecked params. */
interface Call {
  readonly method: MethodId
  readonly params: object
}

/** A running upload. */
export interface Upload<T> {
  readonly done: Promise<T>
  /** Cancels it. `done` rejects with an `AbortError`. */
  readonly cancel: () => void
}

/** Calls the service for one account, without retries and timeouts. Errors are `Refusal`s. */
export class Client {
  /** The underlying client, for more than calls. */
  readonly coffer: Coffer
  #onEnd: () => void = () => {}

  /** `token`: the token of a shared link, for a page without a session. */
  constructor(
    readonly username: string,
    token?: string
  ) {
    this.coffer = new Coffer(new URL(`${encodeURIComponent(username)}/`, root), {
      username,
      token,
      isPage: keepsSession(),
      areJoined: true,
      retries: 0,
      timeout: 0,
      fetch: sendFetch
    })
  }

  /** The service's time at its last response, in seconds since 1970. */
  get serverTime(): number | undefined {
    return this.coffer.serverTime
  }

  /**
   * Sets the listener that is called when a call is refused because the session or access has ended. Replaces
   * an earlier listener.
   */
  onEnd(listener: () => void): void {
    this.#onEnd = listener
  }

  /**
   * Calls a method. Calls of the same turn of the event loop share a request. Rejects with a `Refusal`. Every
   * call also notes whether the service can be reached.
   */
  async call<T>(method: MethodId, params: object = {}): Promise<T> {
    return await this.#watchAccess(async () => (await this.coffer.call(method, params as never)) as T)
  }

  /**
   * Calls a method in a request of its own, which `signal` cancels. For slow calls, which would delay others
   * in the same request. Rejects with a `Refusal`.
   */
  async callAlone<T>(
    method: MethodId,
    params: object,
    signal: AbortSignal = new AbortController().signal
  ): Promise<T> {
    return await this.#watchAccess(
      async () => (await this.coffer.call(method, params as never, { signal })) as T
    )
  }

  /**
   * Calls methods in order in one request. Returns their results, with a `Refusal` in place of each that
   * failed. Rejects with a `Refusal` if the whole request fails.
   */
  async batch(calls: readonly Call[]): Promise<unknown[]> {
    return await this.#watchAccess(async () => await this.coffer.batch(calls as never))
  }

  /** Calls methods in order in one request, which `signal` cancels. Rejects with the first `Refusal` among the results. */
  async batchStrict<T extends unknown[]>(calls: readonly Call[], signal?: AbortSignal): Promise<T> {
    return await this.#watchAccess(
      async () => settled(await this.coffer.batch(calls as never, { signal })) as T
    )
  }

  /**
   * Downloads a file, such as an attachment or a preview. `onBytes` is called with the number of bytes read so far. Rejects with a
   * `Refusal`.
   */
  async download(path: string, signal?: AbortSignal, onBytes?: (bytes: number) => void): Promise<Blob> {
    const options = { signal, onProgress: onBytes }
    return await this.#watchAccess(async () => await (await download(this.coffer, path, options)).blob())
  }

  /**
   * Posts files to a path below the root of the account. `onProgress` receives the share that has been sent,
   * from 0 to 1. `done` of the result rejects with a `Refusal`, or with an abort error after `cancel`.
   */
  upload<T>(path: string, form: FormData, onProgress: (share: number) => void): Upload<T> {
    const abort = new AbortController()
    const options = {
      signal: abort.signal,
      onProgress: (sent: number, total: number) => onProgress(total > 0 ? sent / total : 0)
    }
    return {
      done: this.#watchAccess(
        async () => await postForm<T>(new XMLHttpRequest(), this.coffer, path, form, options)
      ),
      cancel: () => abort.abort()
    }
  }

  async #watchAccess<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      isReachable.set(true)
      return result
    } catch (error) {
      if (isOfflineError(error)) isReachable.set(false)
      if ((error as Partial<Refusal>).id === 'invalid-access-token') this.#onEnd()
      throw error
    }
  }
}
