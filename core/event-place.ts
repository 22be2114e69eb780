/** Where an event is, without its content: enough to say whether it may be read, however large it is. */
import type { Holder } from '../storage/repositories/series.js'
import { fail } from './errors.js'
import type { Reader } from './reader.js'

/** Raises `forbidden` unless the event may be read. */
export function mustBeReadable({ caller, store }: Reader, { streams }: Pick<Holder, 'streams'>): void {
  const streamIds = streams.map(number => store.streams.byNumber(number)?.stream.id ?? ':')
  if (!caller.mayReadEvent(streamIds)) fail('forbidden')
}
