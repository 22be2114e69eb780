/**
 * Calls of methods on one user's account, for endpoints that answer in formats of their own; reads of events and
 * streams that occupy neither the service nor its memory for long.
 */
import type { Credentials } from '../core/call/credentials.js'
import type { Dispatcher } from '../core/call/dispatcher.js'
import { isLargeJson, readJson, unlimited } from '../core/json/reader.js'
import { runInTurns, type Steps } from '../storage/steps.js'
import { ApiError } from '../core/errors.js'
import type { Event } from '../schemas/event.js'

/** Makes calls with the access of a request. */
export class UserCalls {
  #accessId: string | undefined
  #stopped: ApiError | undefined
  private readonly credentials: Credentials

  constructor(
    private readonly dispatcher: Pick<Dispatcher, 'call'>,
    private readonly user: string,
    credentials: Credentials,
    private readonly signal?: AbortSignal
  ) {
    this.credentials = { ...credentials, isEndpoint: true }
  }

  /** Id of the access; `undefined` until a call has succeeded. */
  get accessId(): string | undefined {
    return this.#accessId
  }

  /** Makes no further calls: they throw the error. */
  stop(error: ApiError): void {
    this.#stopped = error
  }

  /**
   * Makes a call and returns its result. `maxLength`: the maximum length of the result, in characters. Throws the `ApiError`
   * of a refusal: `too-many-results` for longer results. Once the signal has aborted, makes none, and throws its reason.
   */
  async call<T>(method: string, params: object, maxLength = Infinity): Promise<T> {
    this.signal?.throwIfAborted()
    if (this.#stopped) throw this.#stopped
    const { credentials, user } = this
    const request = { user, method, params, credentials, isWhole: true, maxLength } as const
    const outcome = await this.dispatcher.call(request)
    if (!outcome.ok) throw outcome.error
    this.#accessId = outcome.accessId
    const text = `{${outcome.members}}`
    return (isLargeJson(text) ? await runInTurns(readJson(text, unlimited)) : JSON.parse(text)) as T
  }
}

/** Number of characters that are read at once. An event that has more is read by itself. */
const maxLength = 1024 * 1024

/**
 * Reads events; fewer if the response would be too long. `limit` in the result: the number of events that were asked for in the
 * end. Errors: the errors of `events.get`.
 */
export async function readEvents(
  calls: UserCalls,
  params: Readonly<Record<string, unknown>> & { readonly limit: number }
): Promise<{ readonly events: readonly Event[]; readonly limit: number }> {
  const { limit } = params
  try {
    const longest = limit > 1 ? maxLength : Infinity
    const { events } = await calls.call<{ events: Event[] }>('events.get', params, longest)
    return { events, limit }
  } catch (error) {
    if (!(error instanceof ApiError && error.id === 'too-many-results' && limit > 1)) throw error
    return await readEvents(calls, { ...params, limit: Math.ceil(limit / 8) })
  }
}

/** A stream as the access sees it. */
export interface Stream {
  readonly id: string
  readonly name: string
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly children?: readonly Stream[]
}

/** A stream, and the one above it if the access sees that. */
export interface PlacedStream {
  readonly stream: Stream
  readonly above: PlacedStream | undefined
}

/** Number of streams that one step looks at. */
const streamsPerStep = 1000

/** Reads the streams that the access may list, by their ids. Errors: the errors of `streams.get`. */
export async function readStreams(
  calls: UserCalls,
  params: { readonly state?: 'all' } = {}
): Promise<ReadonlyMap<string, PlacedStream>> {
  const { streams } = await calls.call<{ streams: readonly Stream[] }>('streams.get', params)
  return await runInTurns(placeStreams(streams))
}

/** Places the streams of a tree, a thousand per step at most: in recursion, a step would have the size of a subtree. */
export function* placeStreams(roots: readonly Stream[]): Steps<ReadonlyMap<string, PlacedStream>> {
  const placed = new Map<string, PlacedStream>()
  const waiting = [{ streams: roots, above: undefined as PlacedStream | undefined }]
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const stream of next.streams) {
      const place = { stream, above: next.above }
      placed.set(stream.id, place)
      if (stream.children && stream.children.length > 0)
        waiting.push({ streams: stream.children, above: place })
      if (placed.size % streamsPerStep === 0) yield
    }
  return placed
}
