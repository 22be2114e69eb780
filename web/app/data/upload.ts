/** Sends files and reports progress, which `fetch` cannot. */
import { refusalOf, Refusal, root, type ErrorBody } from '../../api.js'

export interface Sending<T> {
  readonly done: Promise<T>
  /** Gives up. `done` rejects with an `AbortError`. */
  readonly cancel: () => void
}

/** Posts a form to a path below the root; `onProgress` gets the part that has been sent, from 0 to 1. Rejects with a `Refusal`. */
export function upload<T>(
  path: string,
  form: FormData,
  token: string | undefined,
  onProgress: (part: number) => void
): Sending<T> {
  const request = new XMLHttpRequest()
  const done = new Promise<T>((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total > 0 ? loaded / total : 0)
    )
    request.addEventListener('error', () => reject(new Refusal('offline', '')))
    request.addEventListener('abort', () => reject(new DOMException('Given up', 'AbortError')))
    request.addEventListener('load', () => {
      const answer = request.response as (T & { error?: ErrorBody }) | null
      if (request.status < 300 && answer !== null) resolve(answer)
      else reject(refusalOf(answer?.error, Number(request.getResponseHeader('Retry-After') ?? 0)))
    })
  })
  request.open('POST', new URL(path, root))
  request.responseType = 'json'
  request.setRequestHeader('Coffer-App', '1')
  if (token !== undefined) request.setRequestHeader('Authorization', token)
  request.send(form)
  return { done, cancel: () => request.abort() }
}
