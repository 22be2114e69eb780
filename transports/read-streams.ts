/** Reads the streams of an account without occupying the service for long: there may be hundreds of thousands. */
import { runInTurns, type Steps } from '../storage/steps.js'
import type { UserCalls } from './user-calls.js'

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

/** Returns all streams by id, each with the one above it, in steps. */
function* placeStreams(roots: readonly Stream[]): Steps<ReadonlyMap<string, PlacedStream>> {
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
