/** Where an event is, without its content: enough to say whether it may be read, however large it is. */
import type { Holder } from '../storage/repositories/series.js'
import type { UserStore } from '../storage/user-store.js'
import { fail } from './errors.js'
import type { Reader } from './reader.js'

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

/** The ids of the streams of these numbers; one that nobody has a level on for those that the settings do without. */
export function idsAt({ streams }: Pick<UserStore, 'streams'>, numbers: readonly number[]): string[] {
  return numbers.map(number => streams.byNumber(number)?.stream.id ?? ':')
}
