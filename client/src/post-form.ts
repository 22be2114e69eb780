/** Posts forms with `XMLHttpRequest`, because `fetch` cannot report upload progress. */
import type { CallOptions } from './coffer.js'
import { toCofferError, parseRetryAfter, type ErrorBody } from './errors.js'
import { createOfflineError, type Http } from './http.js'

export interface UploadOptions extends CallOptions {
  /** Called with the number of bytes sent, and the total, headers of the form included; 0 if that is not known. */
  readonly onProgress?: ((sent: number, total: number) => void) | undefined
}

/** Returns the platform's `XMLHttpRequest` class; `undefined` if it has none. */
export function findXhrClass(): (new () => Xhr) | undefined {
  return (globalThis as { readonly XMLHttpRequest?: new () => Xhr }).XMLHttpRequest
}

/** Posts a form with a new request. Rejects with a `CofferError`, or with the signal's reason if it is aborted. */
export async function postForm<T>(
  request: Xhr,
  http: Http,
  path: string,
  form: FormData,
  { onProgress, signal }: UploadOptions = {}
): Promise<T> {
  signal?.throwIfAborted()
  const abort = (): void => request.abort()
  signal?.addEventListener('abort', abort)
  try {
    return await new Promise<T>((resolve, reject) => {
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(loaded, total))
      request.addEventListener('error', () => reject(createOfflineError()))
      request.addEventListener('abort', () => reject(signal!.reason as Error))
      request.addEventListener('load', () => {
        const { response, status } = request
        const body = response as (T & { readonly error?: ErrorBody }) | null
        const retryAfter = parseRetryAfter(request.getResponseHeader('Retry-After'))
        if (status < 300 && body !== null) resolve(body)
        else reject(toCofferError(body?.error, { status, retryAfter }))
      })
      request.open('POST', http.address(path).href)
      request.responseType = 'json'
      for (const [name, value] of Object.entries(http.headers())) request.setRequestHeader(name, value)
      request.send(form)
    })
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** The part of `XMLHttpRequest` that is used. */
export interface Xhr {
  readonly upload: {
    addEventListener(
      type: 'progress',
      listener: (event: { readonly loaded: number; readonly total: number }) => void
    ): void
  }
  readonly response: unknown
  readonly status: number
  responseType: string
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void
  open(verb: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  send(body: FormData): void
  abort(): void
}
