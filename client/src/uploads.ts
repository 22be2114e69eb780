/** Uploads files with progress. (docs/spec/attachments.md) */
import type { Params, Result } from './calls.js'
import type { Coffer } from './coffer.js'
import type { Http } from './http.js'
import { toFormData, encodeForm, type FilePart, type Form } from './multipart.js'
import { postForm, findXhrClass, type UploadOptions } from './post-form.js'

/** Creates an event with files. Sends and rejects like {@link upload}. */
export async function createEvent(
  coffer: Coffer,
  event: Params<'events.create'>,
  files: readonly FilePart[],
  options?: UploadOptions
): Promise<Result<'events.create'>> {
  return await upload(coffer, 'events', { name: 'event', value: event, files }, options)
}

/** Adds files to an event. Sends and rejects like {@link upload}. */
export async function addAttachments(
  coffer: Coffer,
  eventId: string,
  files: readonly FilePart[],
  options?: UploadOptions
): Promise<Result<'events.addAttachment'>> {
  return await upload(coffer, `events/${encodeURIComponent(eventId)}`, { files }, options)
}

/**
 * Posts a form with files. In browsers, streams are read into memory first; elsewhere nothing is buffered. Never retried. Rejects
 * with a `CofferError`, or with the signal's reason if it is aborted.
 */
export async function upload<T>(
  http: Http,
  path: string,
  form: Form | FormData,
  options: UploadOptions = {}
): Promise<T> {
  const Xhr = findXhrClass()
  if (Xhr)
    return await postForm<T>(
      new Xhr(),
      http,
      path,
      form instanceof FormData ? form : await toFormData(form),
      options
    )
  const { onProgress, signal } = options
  const { body, total, type } = encodeForm(form, sent => onProgress?.(sent, total ?? 0))
  return await http.request<T>('POST', path, { body, headers: { 'Content-Type': type }, signal })
}
