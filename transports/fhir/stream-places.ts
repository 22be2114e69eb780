/** Places of streams, by whose names and marks measurements are recognised. */
import { selectIds, toPlace, type NamedStream, type StreamPlace } from '../../core/exports/stream-names.js'
import type { StreamAbove } from '../../core/methods/streams/find-above.js'
import type { Event } from '../../schemas/event.js'
import { readMeasureMark } from '../../schemas/measures/measure.js'
import { type PlacedStream, readStreams, type UserCalls } from '../user-calls.js'

/** Maximum number of names of a path. */
const maxNames = 20

/** The names of an event's streams and of their ancestors as far as the access may see them, and the mark that applies. */
export class StreamPlaces {
  readonly #known = new Map<string, StreamPlace>()

  constructor(
    private readonly streams: ReadonlyMap<string, PlacedStream>,
    /** The streams at the top below others that are not shown, and these. */
    private readonly above: StreamsAbove
  ) {}

  /** Returns the places of the event's first streams that are listed, at most 20; that of the first one if there is none. */
  get({ streamIds }: Pick<Event, 'streamIds'>): StreamPlace[] {
    return selectIds(streamIds, id => this.streams.has(id)).map(id => this.#get(id))
  }

  #get(id: string): StreamPlace {
    let found = this.#known.get(id)
    if (!found) this.#known.set(id, (found = this.#find(id)))
    return found
  }

  /** Returns the names from the root to the stream, and its mark; its id if it is not listed. */
  #find(id: string): StreamPlace {
    const seen: NamedStream[] = []
    let top = id
    for (let place = this.streams.get(id); place; place = place.above) {
      top = place.stream.id
      seen.push({ name: place.stream.name, mark: readMeasureMark(place.stream.clientData) })
    }
    const names = seen.slice(0, maxNames).map(({ name }) => name)
    // The mark that is shown of the stream at the top may be that of one above.
    const above = this.above.list(top)
    return toPlace(id, above ? [...seen.slice(0, -1), ...above] : seen, names)
  }
}

/** The streams at the top, and what those above say of them. */
class StreamsAbove {
  readonly #tops = new Map<string, StreamAbove>()

  /** `streams`: each after the one above it. */
  constructor(private readonly streams: readonly StreamAbove[]) {
    for (const stream of streams) if (stream.id !== undefined) this.#tops.set(stream.id, stream)
  }

  /** Returns a stream at the top and those above it, up to the root; `undefined` if those are shown. */
  list(id: string): readonly NamedStream[] | undefined {
    const top = this.#tops.get(id)
    if (!top) return undefined
    const found = [top]
    for (let { above } = top; above !== undefined;) {
      const stream = this.streams[above]!
      found.push(stream)
      above = stream.above
    }
    return found
  }
}

/** Reads the streams that the access may list, and what those above say of them. */
export async function readStreamPlaces(calls: UserCalls): Promise<StreamPlaces> {
  const streams = await readStreams(calls, { state: 'all' })
  const { above } = await calls.call<{ above: readonly StreamAbove[] }>('streams.findAbove', {})
  return new StreamPlaces(streams, new StreamsAbove(above))
}
