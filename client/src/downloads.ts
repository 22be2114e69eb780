/** Downloads files with progress. */
import type { CallOptions, Coffer } from './coffer.js'
import { readResponse, type Http } from './http.js'

export interface DownloadOptions extends CallOptions {
  /** Called with the number of bytes read, and the total; 0 if that is not known. */
  readonly onProgress?: ((read: number, total: number) => void) | undefined
  /** Byte range: offset of the first byte, and offset after the last byte; by default the range reaches to the end. */
  readonly range?: readonly [from: number, to?: number]
}

/**
 * Downloads an attachment. The response provides it as a stream (`body`), a blob or text. Rejects with a `CofferError`.
 *
 * An `<img>` or a media player can use the URL directly: `{root}events/{event}/{file}?readToken={readToken}`.
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

/** Downloads a path, such as a file or a preview. Rejects with a `CofferError`. */
export async function download(http: Http, path: string, options: DownloadOptions = {}): Promise<Response> {
  const { onProgress, range, signal } = options
  const headers = range
    ? { Range: `bytes=${range[0]}-${range[1] === undefined ? '' : range[1] - 1}` }
    : undefined
  const response = await http.send('GET', path, { headers, signal })
  if (!response.ok) return await readResponse<never>(response)
  if (!onProgress || !response.body) return response
  const total = Number(response.headers.get('Content-Length') ?? 0)
  let read = 0
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      onProgress((read += chunk.length), total)
      controller.enqueue(chunk)
    }
  })
  const { status, statusText, headers: responseHeaders } = response
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers: responseHeaders })
}
