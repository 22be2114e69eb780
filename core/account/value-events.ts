/** Rules for `events.create`, `update` and `delete` where an event is the value of an account field. (docs/spec/accounts.md#account-events) */
import type { Event } from '../../schemas/event.js'
import {
  claimValue,
  deactivateOthers,
  findField,
  isActive,
  isMarkStream,
  assertEditable,
  assertFieldValue,
  releaseValue
} from './values.js'
import { applyFieldValue } from './email/changes.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { isSystemId, activeId, uniqueId } from '../system-ids.js'
import { getActiveStreamIds, type AccountField } from './fields.js'

/** Returns the streams in which a caller needs permission to write: streams that only mark values need none. */
export function omitMarks(streamIds: readonly string[]): string[] {
  return streamIds.some(isMarkStream) ? streamIds.filter(id => !isMarkStream(id)) : [...streamIds]
}

/**
 * Returns the field whose value a new event becomes, if any. Throws `invalid-operation` if the event is in
 * other streams as well, or only in streams that hold no values, or if only the service sets the field, and
 * `forbidden` for hidden fields.
 */
export function findNewValueField(call: Call, streamIds: readonly string[]): AccountField | undefined {
  if (!streamIds.some(isSystemId)) return undefined
  const valueStreams = omitMarks(streamIds)
  const field = findField(call, valueStreams)
  if (!field) {
    // Streams that group or mark values hold no events; other system streams are like a user's own.
    const closed = streamIds.filter(id => isMarkStream(id) || (call.store.streams.find(id)?.number ?? 0) < 0)
    if (closed.length > 0) refuseStreams('cannot contain events', closed)
    return undefined
  }
  if (valueStreams.length > 1) refuseStreams('cannot be combined', streamIds)
  assertEditable(field)
  return field
}

/**
 * Makes an event the value in force of its field; returns its streams. Reserves a unique value, applies
 * {@link applyFieldValue}, and takes the mark from the field's other values. Errors:
 * `invalid-parameters-format`, `invalid-operation` for an event in the trash, `item-already-exists`.
 */
export function activateValue(call: Call, field: AccountField, event: Event): string[] {
  assertFieldValue(field, event.content)
  if (event.trashed) fail('invalid-operation', 'The current value of an account field cannot be trashed')
  claimValue(call, field, event.content)
  applyFieldValue(call, field, event.content)
  deactivateOthers(call, field, event.id)
  return getActiveStreamIds(field)
}

/**
 * Returns the streams of a value after an update, which may add only the mark of the value in force. Error:
 * `invalid-operation`.
 */
export function resolveValueStreams(
  call: Call,
  field: AccountField,
  before: Event,
  named: readonly string[]
): string[] {
  const valueStreams = omitMarks(named)
  if (valueStreams.length !== 1 || valueStreams[0] !== field.streamId)
    fail('invalid-operation', 'The value of an account field must stay in the stream of that field', {
      streamIds: [...named]
    })
  return named.includes(activeId) && !isActive(before)
    ? getActiveStreamIds(field)
    : before.streamIds.filter(id => id !== uniqueId || field.isUnique)
}

/**
 * Applies the consequences of updating a value: reserves and frees unique values, and for the value in force
 * applies {@link applyFieldValue}. Errors: `item-already-exists`, `invalid-operation`,
 * `invalid-parameters-format`.
 */
export function applyValueUpdate(call: Call, field: AccountField, before: Event, after: Event): void {
  if (after.content !== before.content) assertFieldValue(field, after.content)
  const wasThere = !before.trashed
  const isThere = !after.trashed
  if (!isThere && isActive(after)) refuseTrash()
  if (isThere) claimValue(call, field, after.content)
  if (wasThere && !(isThere && before.content === after.content)) releaseValue(call, before)
  if (!isActive(after)) return
  if (!isActive(before) || before.content !== after.content) applyFieldValue(call, field, after.content)
  if (!isActive(before)) deactivateOthers(call, field, after.id)
}

/**
 * Applies the consequences of trashing or deleting a value: frees a unique one. Error: `invalid-operation`
 * for the value in force.
 */
export function applyValueDeletion(call: Call, event: Event): void {
  if (findField(call, event.streamIds) && isActive(event)) refuseTrash()
  if (!event.trashed) releaseValue(call, event)
}

/**
 * Applies the consequences of updating an event that is not a value. Throws `invalid-operation` if it would
 * become one. Frees a unique value of a field that the settings no longer define: such values count as
 * ordinary events.
 */
export function applyUpdateOutsideAccount(call: Call, before: Event, named: readonly string[]): void {
  if (named.some(isSystemId)) {
    const closed = named.filter(id => (call.store.streams.find(id)?.number ?? 0) < 0)
    if (closed.length > 0) refuseStreams('cannot be added to an event', closed)
  }
  if (!before.trashed) releaseValue(call, before)
}

function refuseTrash(): never {
  fail('invalid-operation', 'The current value of an account field cannot be deleted')
}

function refuseStreams(why: string, streamIds: readonly string[]): never {
  fail('invalid-operation', `The streams ${streamIds.join(', ')} ${why}`, {
    streamIds: [...streamIds],
    streamId: streamIds[0]
  })
}
