/**
 * Calls methods of one account: by their ids, in batches, with the session of the page or with the token of a link. Used by all
 * pages of the app. People are told when to try again: nothing is by itself.
 */
import type { MethodId } from '../../../client/src/calls.js'
import { Coffer, settled } from '../../../client/src/coffer.js'
import { download } from '../../../client/src/downloads.js'
import { postForm } from '../../../client/src/xhr.js'
import { ask, keepsSession, root, type Refusal } from '../../api.js'

/** A call whose params nobody has checked. */
interface Call {
  readonly method: MethodId
  readonly params: object
}

/** An upload. */
export interface Sending<T> {
  readonly done: Promise<T>
  /** Gives up. `done` rejects with an `AbortError`. */
  readonly cancel: () => void
}

export class Client {
  /** The account, for what goes beyond calls. */
  readonly coffer: Coffer
  #onEnd: () => void = () => {}

  /** `token`: of a link, for a page that has no session. */
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
      fetch: ask
    })
  }

  /** What time it was for the service when it last answered, in seconds. */
  get serverTime(): number | undefined {
    return this.coffer.serverTime
  }

  /** Calls `listener` when a call is refused because the session, or the access, has ended. */
  onEnd(listener: () => void): void {
    this.#onEnd = listener
  }

  /** Calls a method; those of the same turn are sent in one request. Rejects with a `Refusal`. */
  async call<T>(method: MethodId, params: object = {}): Promise<T> {
    return await this.#judged(async () => (await this.coffer.call(method, params as never)) as T)
  }

  /** Calls a method in a request of its own, which `signal` gives up: for answers that others should not wait for. */
  async callAlone<T>(
    method: MethodId,
    params: object,
    signal: AbortSignal = new AbortController().signal
  ): Promise<T> {
    return await this.#judged(async () => (await this.coffer.call(method, params as never, { signal })) as T)
  }

  /** Calls methods one after the other in one request; each result, or a `Refusal` in its place. */
  async batch(calls: readonly Call[]): Promise<unknown[]> {
    return await this.#judged(async () => await this.coffer.batch(calls as never))
  }

  /**
   * Calls methods that belong together in a request of their own, which `signal` gives up. Rejects with the first `Refusal` among
   * the results.
   */
  async some<T extends unknown[]>(calls: readonly Call[], signal?: AbortSignal): Promise<T> {
    return await this.#judged(async () => settled(await this.coffer.batch(calls as never, { signal })) as T)
  }

  /**
   * Reads a file, such as an attachment or a preview, as a blob; `onBytes` is told how much of it has been read. Rejects with a
   * `Refusal` if it is refused.
   */
  async file(path: string, signal?: AbortSignal, onBytes?: (bytes: number) => void): Promise<Blob> {
    const options = { signal, onProgress: onBytes }
    return await this.#judged(async () => await (await download(this.coffer, path, options)).blob())
  }

  /** Posts files to a path below the root of the account; `onProgress` gets the part that has been sent, from 0 to 1. */
  upload<T>(path: string, form: FormData, onProgress: (part: number) => void): Sending<T> {
    const gone = new AbortController()
    const options = {
      signal: gone.signal,
      onProgress: (sent: number, total: number) => onProgress(total > 0 ? sent / total : 0)
    }
    return {
      done: this.#judged(
        async () => await postForm<T>(new XMLHttpRequest(), this.coffer, path, form, options)
      ),
      cancel: () => gone.abort()
    }
  }

  async #judged<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if ((error as Partial<Refusal>).id === 'invalid-access-token') this.#onEnd()
      throw error
    }
  }
}
