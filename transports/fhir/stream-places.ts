/** Places of streams, by whose names and marks measurements are recognised. */
import { toPlace, type StreamPlace } from '../../core/exports/stream-names.js'
import type { Event } from '../../schemas/event.js'
import { readMeasureMark } from '../../schemas/measures/measure.js'
import { type PlacedStream, readStreams, type UserCalls } from '../user-calls.js'

/** Maximum number of names of a path. */
const maxNames = 20

/** The names of an event's first stream and of its ancestors, and their mark, as far as the access may see them. */
export class StreamPlaces {
  constructor(private readonly streams: ReadonlyMap<string, PlacedStream>) {}

  /** Returns the names from the root to the stream, and its mark; its id if it is not listed. */
  get({ streamIds }: Pick<Event, 'streamIds'>): StreamPlace {
    const id = streamIds[0] ?? ''
    const names: string[] = []
    const marks: (string | undefined)[] = []
    for (let place = this.streams.get(id); place && names.length < maxNames; place = place.above) {
      names.push(place.stream.name)
      marks.push(readMeasureMark(place.stream.clientData))
    }
    return names.length === 0 ? { path: [id] } : toPlace(names, marks)
  }
}

/** Reads the streams that the access may list. */
export async function readStreamPlaces(calls: UserCalls): Promise<StreamPlaces> {
  return new StreamPlaces(await readStreams(calls, { state: 'all' }))
}
