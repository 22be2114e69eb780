/** Long lists as async iterators that parse responses incrementally. */
import type { Params } from './calls.js'
import type { Coffer } from './coffer.js'
import { CofferError } from './errors.js'
import { readResponse, createOfflineError } from './http.js'
import { parseItems } from './parse-items.js'
import type { Event } from './methods/nouns.js'
import { toQueryString } from './query-string.js'

export interface ListOptions {
  /** Cancels reading. */
  readonly signal?: AbortSignal | undefined
}

/** The largest `limit`, which means all. */
const maxLimit = 2 ** 31 - 1

/**
 * Yields events in the order of `events.get`. Unlike in `events.get`, a missing `limit` means all matching
 * events. Rejects with a {@link CofferError}, also if the response is incomplete. The request is sent, and
 * errors are thrown, when the first item is read, not by this call.
 */
export function readEvents(
  coffer: Coffer,
  params: Omit<Params<'events.get'>, 'includeDeletions'> = {},
  options: ListOptions = {}
): AsyncGenerator<Event, void> {
  return readList<Event>(coffer, `events${toQueryString({ limit: maxLimit, ...params })}`, 'events', options)
}

/**
 * Yields audit records as `audit.get` returns them. Without a `limit`, all of them. Sends its request and
 * rejects like {@link readEvents}.
 */
export function readAudit(
  coffer: Coffer,
  params: Params<'audit.get'> = {},
  options: ListOptions = {}
): AsyncGenerator<Event, void> {
  return readList<Event>(
    coffer,
    `audit/logs${toQueryString({ limit: maxLimit, ...params })}`,
    'auditLogs',
    options
  )
}

/**
 * Yields the items of the array in the member `name` of the response of `path`. `onHead` receives the text
 * before the first item. Ending the loop early cancels the request. Rejects with the error of the service, or
 * as offline if the response ends early. Nothing is sent, and nothing thrown, until the first item is read.
 */
export async function* readList<T>(
  coffer: Coffer,
  path: string,
  name: string,
  { onHead, signal }: ListOptions & { onHead?: (text: string) => void } = {}
): AsyncGenerator<T, void> {
  const abort = new AbortController()
  const signals = signal ? AbortSignal.any([abort.signal, signal]) : abort.signal
  const response = await coffer.send('GET', path, { signal: signals })
  if (!response.ok || !response.body) {
    await readResponse(response)
    throw new CofferError('unexpected-error', 'The answer is empty', undefined, { status: response.status })
  }
  try {
    yield* parseItems<T>(decodeText(response.body), name, onHead)
  } catch (error) {
    // The response is incomplete.
    throw error instanceof TypeError || error instanceof SyntaxError ? createOfflineError(error) : error
  } finally {
    abort.abort()
  }
}

async function* decodeText(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read())
    yield decoder.decode(next.value, { stream: true })
}
