/** Where an event is, without its content: enough to say whether it may be read, however large it is. */
import type { Event } from '../../schemas/event.js'
import type { Holder } from '../../storage/repositories/series.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import type { Reader } from '../call/reader.js'

/** Raises `forbidden` unless the event may be read. */
export function mustBeReadable(reader: Reader, { streams }: Pick<Holder, 'streams'>): void {
  if (!mayReadAt(reader, streams)) fail('forbidden')
}

/** Whether an event in the streams of these numbers may be read. */
export function mayReadAt({ caller, store }: Reader, streams: readonly number[]): boolean {
  // An owner sees all that is in streams of his own.
  if (caller.isPersonal && streams[0]! >= 0) return true
  return caller.mayReadEvent(idsAt(store, streams))
}

/** As {@link mayReadAt}, for an event at hand. */
export function mayRead(
  { caller, store }: Reader,
  { id, streamIds }: Pick<Event, 'id' | 'streamIds'>
): boolean {
  if (caller.mayReadEvent(streamIds)) return true
  // The number tells a stream of an owner's from a field of the account, the id of one that the settings do without does not.
  const streams = caller.isPersonal ? store.series.findHolder(id)?.streams : undefined
  return streams !== undefined && mayReadAt({ caller, store }, streams)
}

/** The ids of the streams of these numbers; one that nobody has a level on for those that the settings do without. */
export function idsAt({ streams }: Pick<UserStore, 'streams'>, numbers: readonly number[]): string[] {
  return numbers.map(number => streams.byNumber(number)?.stream.id ?? ':')
}
