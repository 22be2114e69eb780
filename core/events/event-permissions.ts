/** Checks whether an event may be read by its streams alone, without loading its content. */
import type { Event } from '../../schemas/event.js'
import type { Holder } from '../../storage/repositories/series.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'
import { fail } from '../errors.js'
import { assertNotSecretsStream } from '../shared-secrets/rules.js'
import { assertNotInTrash, requireStreams } from '../streams/require-streams.js'
import { isTrashedCached } from '../streams/tree.js'

/** Throws `forbidden` unless the event may be read. */
export function assertReadable(reader: Reader, { streams }: Pick<Holder, 'streams'>): void {
  if (!mayReadAt(reader, streams)) fail('forbidden')
}

/**
 * Checks that the caller may add events to a stream, for plans that add them later. Errors:
 * `unknown-referenced-resource`, `forbidden`, `invalid-operation` for streams of the service and those in the
 * trash.
 */
export function assertMayAddTo({ caller, store }: Call, streamId: string): void {
  // Streams of the service have rules of their own.
  if (streamId.startsWith(':'))
    fail('invalid-operation', 'Events cannot be added to streams of the service here')
  assertNotSecretsStream(streamId)
  const nodes = requireStreams(store, [streamId])
  caller.must('contribute', streamId)
  assertNotInTrash(nodes)
}

/** Returns whether an event in the streams of these numbers may be read. */
export function mayReadAt({ caller, store }: Reader, streams: readonly number[]): boolean {
  // Personal accesses may read everything in the user's own streams.
  if (caller.isPersonal && streams[0]! >= 0) return true
  return caller.mayReadEvent(getStreamIds(store, streams))
}

/** Returns whether an event that has been loaded may be read. */
export function mayRead(
  { caller, store }: Reader,
  { id, streamIds }: Pick<Event, 'id' | 'streamIds'>
): boolean {
  if (caller.mayReadEvent(streamIds)) return true
  // For a system stream that the settings no longer define, only the number tells whether it is an account field.
  const streams = caller.isPersonal ? store.series.findHolder(id)?.streams : undefined
  return streams !== undefined && mayReadAt({ caller, store }, streams)
}

/**
 * Returns whether an event counts as being in the trash: it is there itself, or all of its streams that the reader may read are there, so
 * that lists omit it. (docs/spec/events.md#reading-a-list)
 */
export function isInTrash(
  { caller, store: { streams } }: Reader,
  { streamIds, trashed }: Pick<Event, 'streamIds' | 'trashed'>
): boolean {
  if (trashed === true) return true
  return !streamIds.some(id => {
    const node = streams.find(id)
    return node ? !isTrashedCached(streams, node) && caller.mayAt('read', node) : caller.isPersonal
  })
}

/**
 * Returns the ids of the streams with these numbers; for those that no longer exist, an id on which no access has a level.
 */
export function getStreamIds({ streams }: Pick<UserStore, 'streams'>, numbers: readonly number[]): string[] {
  return numbers.map(number => streams.findByNumber(number)?.stream.id ?? ':')
}
