/** Rules for `events.create`, `update` and `delete` where an event is the value of an account field. (docs/spec/accounts.md#account-events) */
import type { Event } from '../../schemas/event.js'
import {
  claim,
  deactivateOthers,
  fieldIn,
  isActive,
  isMark,
  assertEditable,
  assertFieldValue,
  release
} from './values.js'
import { comesIntoForce } from './email/changes.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { isSystemId, activeId, uniqueId } from '../system-ids.js'
import { markedIds, type AccountField } from './fields.js'

/** The streams in which a caller needs permission to write: streams that mark values need none. */
export function ownPlaces(streamIds: readonly string[]): string[] {
  return streamIds.some(isMark) ? streamIds.filter(id => !isMark(id)) : [...streamIds]
}

/** Returns the field of which a new event is to be a value, if any. Throws `invalid-operation` if the event is in other
 * streams as well, or only in streams that hold no values. */
export function newValueField(call: Call, streamIds: readonly string[]): AccountField | undefined {
  if (!streamIds.some(isSystemId)) return undefined
  const places = ownPlaces(streamIds)
  const field = fieldIn(call, places)
  if (!field) {
    // Streams that group or mark values hold no events; other system streams are like a user's own.
    const closed = streamIds.filter(id => isMark(id) || (call.store.streams.find(id)?.number ?? 0) < 0)
    if (closed.length > 0) refusePlaces('hold no events of their own', closed)
    return undefined
  }
  if (places.length > 1) refusePlaces('cannot be together', streamIds)
  assertEditable(field)
  return field
}

/** Makes an event the value in force of its field; returns its streams. */
export function putInForce(call: Call, field: AccountField, event: Event): string[] {
  assertFieldValue(field, event.content)
  if (event.trashed) fail('invalid-operation', 'A value in force cannot be in the trash')
  claim(call, field, event.content)
  comesIntoForce(call, field, event.content)
  deactivateOthers(call, field, event.id)
  return markedIds(field)
}

/** The streams of a value after an update, which may add only the mark of the value in force. Error: `invalid-operation`. */
export function placesOfValue(
  call: Call,
  field: AccountField,
  before: Event,
  named: readonly string[]
): string[] {
  const places = ownPlaces(named)
  if (places.length !== 1 || places[0] !== field.streamId)
    fail('invalid-operation', 'A value of an account field stays in the stream of that field', {
      streamIds: [...named]
    })
  return named.includes(activeId) && !isActive(before)
    ? markedIds(field)
    : before.streamIds.filter(id => id !== uniqueId || field.isUnique)
}

/** Applies the consequences of updating a value. Errors: `item-already-exists`, `invalid-operation`, `invalid-parameters-format`. */
export function settleUpdate(call: Call, field: AccountField, before: Event, after: Event): void {
  if (after.content !== before.content) assertFieldValue(field, after.content)
  const wasThere = !before.trashed
  const isThere = !after.trashed
  if (!isThere && isActive(after)) refuseTrash()
  if (isThere) claim(call, field, after.content)
  if (wasThere && !(isThere && before.content === after.content)) release(call, before)
  if (!isActive(after)) return
  if (!isActive(before) || before.content !== after.content) comesIntoForce(call, field, after.content)
  if (!isActive(before)) deactivateOthers(call, field, after.id)
}

/** Applies the consequences of trashing or deleting a value. Error: `invalid-operation` for the one in force. */
export function settleDeletion(call: Call, event: Event): void {
  if (fieldIn(call, event.streamIds) && isActive(event)) refuseTrash()
  if (!event.trashed) release(call, event)
}

/**
 * Throws `invalid-operation` if an event that is not a value would become one. Values of fields that the settings no longer define count as ordinary events.
 */
export function assertStaysOutsideAccount(call: Call, before: Event, named: readonly string[]): void {
  if (named.some(isSystemId)) {
    const closed = named.filter(id => (call.store.streams.find(id)?.number ?? 0) < 0)
    if (closed.length > 0) refusePlaces('cannot be added to an event', closed)
  }
  if (!before.trashed) release(call, before)
}

function refuseTrash(): never {
  fail('invalid-operation', 'The value in force of an account field cannot be deleted')
}

function refusePlaces(why: string, streamIds: readonly string[]): never {
  fail('invalid-operation', `The streams ${streamIds.join(', ')} ${why}`, {
    streamIds: [...streamIds],
    streamId: streamIds[0]
  })
}
