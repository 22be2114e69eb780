/** Files up and down, with progress. (docs/spec/attachments.md) */
import type { Params, Result } from './calls.js'
import type { CallOptions, Coffer } from './coffer.js'
import { errorOf, retryAfterIn, type ErrorBody } from './errors.js'
import { answerIn, offline, type Http } from './http.js'
import { formDataOf, multipart, type FilePart, type Form } from './multipart.js'

export interface UploadOptions extends CallOptions {
  /** Is told how many bytes have been sent, and of how many, headers of the form included; 0 if that is not known. */
  readonly onProgress?: ((sent: number, total: number) => void) | undefined
}

export interface DownloadOptions extends CallOptions {
  /** Is told how many bytes have been read, and of how many; 0 if that is not known. */
  readonly onProgress?: ((read: number, total: number) => void) | undefined
  /** The first byte, and the one after the last; without the latter up to the end. */
  readonly range?: readonly [from: number, to?: number]
}

/** Creates an event with files. Rejects with a `CofferError`. */
export async function createEvent(
  coffer: Coffer,
  event: Params<'events.create'>,
  files: readonly FilePart[],
  options?: UploadOptions
): Promise<Result<'events.create'>> {
  return await upload(coffer, 'events', { name: 'event', value: event, files }, options)
}

/** Adds files to an event. Rejects with a `CofferError`. */
export async function addAttachments(
  coffer: Coffer,
  eventId: string,
  files: readonly FilePart[],
  options?: UploadOptions
): Promise<Result<'events.addAttachment'>> {
  return await upload(coffer, `events/${encodeURIComponent(eventId)}`, { files }, options)
}

/**
 * Reads a file of an event: as a stream (`body`), a blob, text. Rejects with a `CofferError`.
 *
 * An `<img>` or a player reads it by its address alone: `{root}events/{event}/{file}?readToken={readToken}`.
 */
export async function readAttachment(
  coffer: Coffer,
  eventId: string,
  fileId: string,
  options?: DownloadOptions
): Promise<Response> {
  return await download(
    coffer,
    `events/${encodeURIComponent(eventId)}/${encodeURIComponent(fileId)}`,
    options
  )
}

/** Reads what lies at a path, such as a file or a preview, as a stream, a blob or text. Rejects with a `CofferError`. */
export async function download(http: Http, path: string, options: DownloadOptions = {}): Promise<Response> {
  const { onProgress, range, signal } = options
  const headers = range
    ? { Range: `bytes=${range[0]}-${range[1] === undefined ? '' : range[1] - 1}` }
    : undefined
  const response = await http.send('GET', path, { headers, signal })
  if (!response.ok) return await answerIn<never>(response)
  if (!onProgress || !response.body) return response
  const total = Number(response.headers.get('Content-Length') ?? 0)
  let read = 0
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      onProgress((read += chunk.length), total)
      controller.enqueue(chunk)
    }
  })
  const { status, statusText, headers: answered } = response
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers: answered })
}

/**
 * Posts a form with files. In browsers, streams are read before they are sent; elsewhere nothing lies in memory as a whole. Never
 * tried again. Rejects with a `CofferError`; with the signal's reason if that is aborted.
 */
export async function upload<T>(
  http: Http,
  path: string,
  form: Form | FormData,
  options: UploadOptions = {}
): Promise<T> {
  const { XMLHttpRequest: Xhr } = globalThis as { readonly XMLHttpRequest?: new () => Xhr }
  if (Xhr)
    return await uploadBy<T>(
      new Xhr(),
      http,
      path,
      form instanceof FormData ? form : await formDataOf(form),
      options
    )
  const { onProgress, signal } = options
  const { body, total, type } = multipart(form, sent => onProgress?.(sent, total ?? 0))
  return await http.request<T>('POST', path, { body, headers: { 'Content-Type': type }, signal })
}

/** What `fetch` cannot do: tell the progress. */
async function uploadBy<T>(
  request: Xhr,
  http: Http,
  path: string,
  form: FormData,
  { onProgress, signal }: UploadOptions
): Promise<T> {
  signal?.throwIfAborted()
  const giveUp = (): void => request.abort()
  signal?.addEventListener('abort', giveUp)
  try {
    return await new Promise<T>((resolve, reject) => {
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(loaded, total))
      request.addEventListener('error', () => reject(offline()))
      request.addEventListener('abort', () => reject(signal!.reason as Error))
      request.addEventListener('load', () => {
        const { response, status } = request
        const answer = response as (T & { readonly error?: ErrorBody }) | null
        const retryAfter = retryAfterIn(request.getResponseHeader('Retry-After'))
        if (status < 300 && answer !== null) resolve(answer)
        else reject(errorOf(answer?.error, { status, retryAfter }))
      })
      request.open('POST', new URL(path, http.root).href)
      request.responseType = 'json'
      for (const [name, value] of Object.entries(http.headers())) request.setRequestHeader(name, value)
      request.send(form)
    })
  } finally {
    signal?.removeEventListener('abort', giveUp)
  }
}

/** The part of `XMLHttpRequest` that is used. */
interface Xhr {
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
