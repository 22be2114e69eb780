/** Long lists as async iterators: read as they come in, never whole in memory. */
import type { Params } from './calls.js'
import type { Coffer } from './coffer.js'
import { CofferError } from './errors.js'
import { answerIn, offline } from './http.js'
import { itemsIn } from './json-items.js'
import type { Event } from './methods/nouns.js'
import { queryOf } from './query.js'

export interface ListOptions {
  /** Gives the reading up. */
  readonly signal?: AbortSignal | undefined
}

/** The greatest limit that a service takes for "all". */
const all = 2 ** 31 - 1

/**
 * Yields events in the order of `events.get`, one by one. Unlike there, a missing `limit` means all that match. Rejects with a
 * {@link CofferError}, also if the answer breaks off in the middle.
 */
export function readEvents(
  coffer: Coffer,
  params: Omit<Params<'events.get'>, 'includeDeletions'> = {},
  options: ListOptions = {}
): AsyncGenerator<Event, void> {
  return readList<Event>(coffer, `events${queryOf({ limit: all, ...params })}`, 'events', options)
}

/** Yields the records of the audit, as `audit.get` shows them. Rejects as {@link readEvents}. */
export function readAudit(
  coffer: Coffer,
  params: Params<'audit.get'> = {},
  options: ListOptions = {}
): AsyncGenerator<Event, void> {
  return readList<Event>(coffer, `audit/logs${queryOf({ limit: all, ...params })}`, 'auditLogs', options)
}

/**
 * Yields the items of the array that the answer at `path` has under `name`. `onHead` gets the text before the
 * first one. Ending the loop early ends the request.
 */
export async function* readList<T>(
  coffer: Coffer,
  path: string,
  name: string,
  { onHead, signal }: ListOptions & { onHead?: (text: string) => void } = {}
): AsyncGenerator<T, void> {
  const gone = new AbortController()
  const signals = signal ? AbortSignal.any([gone.signal, signal]) : gone.signal
  const response = await coffer.send('GET', path, { signal: signals })
  if (!response.ok || !response.body) {
    await answerIn(response)
    throw new CofferError('unexpected-error', 'The answer is empty', undefined, { status: response.status })
  }
  try {
    yield* itemsIn<T>(textsOf(response.body), name, onHead)
  } catch (error) {
    // What is not the whole answer is no answer.
    throw error instanceof TypeError || error instanceof SyntaxError ? offline(error) : error
  } finally {
    gone.abort()
  }
}

async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read())
    yield decoder.decode(next.value, { stream: true })
}
