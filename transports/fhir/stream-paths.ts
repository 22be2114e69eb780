/** Names of streams, by which measurements are recognised. */
import type { Event } from '../../schemas/event.js'
import { type PlacedStream, readStreams, type UserCalls } from '../user-calls.js'

/** Maximum number of names of a path. */
const maxNames = 20

/** The names of an event's first stream and of its ancestors, as far as the access may see them. */
export class StreamPaths {
  constructor(private readonly streams: ReadonlyMap<string, PlacedStream>) {}

  /** Returns the names from the root to the stream; its id if it is not listed. */
  get({ streamIds }: Pick<Event, 'streamIds'>): readonly string[] {
    const id = streamIds[0] ?? ''
    const names: string[] = []
    for (let place = this.streams.get(id); place && names.length < maxNames; place = place.above)
      names.push(place.stream.name)
    return names.length > 0 ? names.toReversed() : [id]
  }
}

/** Reads the streams that the access may list. */
export async function readStreamPaths(calls: UserCalls): Promise<StreamPaths> {
  return new StreamPaths(await readStreams(calls, { state: 'all' }))
}
