/**
 * Finds holder events, and checks whether the caller may read or write the points below them.
 * (docs/spec/series.md#permissions)
 */
import type { Holder } from '../../storage/repositories/series.js'
import { fail } from '../errors.js'
import { getStreamIds, assertReadable } from '../events/event-permissions.js'
import { isSeries } from '../events/fields.js'
import type { Listing } from '../json/json-text.js'
import type { Reader } from '../call/reader.js'

type Asking = Reader

/**
 * Returns a holder whose points the caller may read, also in the trash. Errors: `unknown-resource`,
 * `forbidden`, `invalid-operation` for an event that is not a series.
 */
export function requireReadableHolder(call: Asking, id: string): Holder {
  const holder = requireHolder(call, id)
  assertReadable(call, holder)
  assertSeries(holder)
  return holder
}

/**
 * Returns a list of a holder's points, which have these columns, that checks before each page whether the caller may still
 * read the holder, which may be deleted or moved in the meantime. Then throws the errors of {@link requireReadableHolder};
 * `api-unavailable` if all points have been replaced by points with other columns.
 */
export function guardListing(
  { id, isTrashed, number }: Holder,
  columns: readonly string[],
  points: Listing<Reader>
): Listing<Reader> {
  return {
    next(reader) {
      const current = requireReadableHolder(reader, id)
      if (current.number !== number || (current.isTrashed && !isTrashed))
        fail('unknown-resource', `The event "${id}" no longer exists`, { eventId: id })
      const present = reader.store.series.getColumns(number)
      if (present && columns.some((name, index) => name !== present[index]))
        fail('api-unavailable', 'The points have been replaced while they were read. Try again')
      return points.next(reader)
    }
  }
}

/**
 * Returns a holder below which the caller may write: one of its streams has to allow the caller to create
 * events, and no stream may have the level `none`. Callers who only add events need not be able to read.
 * Errors: those of {@link requireReadableHolder}, and `invalid-operation` in the trash.
 */
export function requireWritableHolder(call: Asking, id: string): Holder {
  const holder = requireHolder(call, id)
  const { caller, store } = call
  const streams = getStreamIds(store, holder.streams)
  if (!streams.some(streamId => caller.may('create', streamId))) fail('forbidden')
  if (streams.some(streamId => caller.level(streamId) === 'none')) fail('forbidden')
  assertSeries(holder)
  assertNotTrashed(holder)
  return holder
}

/**
 * Returns a holder below which the caller may delete points: an event that the caller may change. Errors: as
 * for {@link requireWritableHolder}.
 */
export function requireReducibleHolder(call: Asking, id: string): Holder {
  const holder = requireReadableHolder(call, id)
  const { caller, store } = call
  if (!getStreamIds(store, holder.streams).some(streamId => caller.may('contribute', streamId)))
    fail('forbidden')
  assertNotTrashed(holder)
  return holder
}

function requireHolder({ store }: Asking, id: string): Holder {
  return store.series.findHolder(id) ?? fail('unknown-resource', `No event "${id}"`, { eventId: id })
}

function assertNotTrashed({ id, isTrashed }: Holder): void {
  if (isTrashed)
    fail('invalid-operation', `The event "${id}" is trashed`, { trashedReference: 'eventId', eventId: id })
}

function assertSeries({ id, type }: Holder): void {
  if (!isSeries(type)) fail('invalid-operation', `The event "${id}" is not a series`, { eventId: id, type })
}
