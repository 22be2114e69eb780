/**
 * The values of account fields: which values are allowed, which value of a field is in force, and which values have to
 * be unique among all accounts. (docs/spec/accounts.md#account-events)
 */
import type { Event } from '../../schemas/event.js'
import { applyFieldValue } from './email/changes.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { activeId, getFieldName, uniqueId } from '../system-ids.js'
import { getAccountStreams, getActiveStreamIds, type AccountField } from './fields.js'
import { refuseParams } from '../validation/params.js'
import { checkFieldValue } from './check-field-value.js'

const markIds: ReadonlySet<string> = new Set([activeId, uniqueId])

/** Returns whether a stream only marks values. */
export function isMarkStream(streamId: string): boolean {
  return markIds.has(streamId)
}

/** Returns the account field whose value an event in these streams is; `undefined` for any other event. */
export function findField({ services }: Call, streamIds: readonly string[]): AccountField | undefined {
  const { fields } = getAccountStreams(services.config)
  for (const id of streamIds) {
    const field = fields.get(id)
    if (field) return field
  }
  return undefined
}

/** Returns whether a value is in force. */
export function isActive({ streamIds }: Event): boolean {
  return streamIds.includes(activeId)
}

/** Throws `invalid-operation` for fields that only the service sets, `forbidden` for hidden fields. */
export function assertEditable({ isEditable, isShown, streamId }: AccountField): void {
  if (!isEditable)
    fail('invalid-operation', `Values of "${streamId}" cannot be changed`, {
      streamId,
      streamIds: [streamId]
    })
  if (!isShown) fail('forbidden')
}

/** Throws `invalid-parameters-format` for content that is not a valid value of the field. */
export function assertFieldValue(field: AccountField, content: unknown): asserts content is string | number {
  const violation = checkFieldValue(field, content, '#/content')
  if (violation) refuseParams([violation])
}

/** Reserves a value of a unique field for this account. Throws `item-already-exists` if another account has it. */
export function claimValue({ store }: Call, { isUnique, name }: AccountField, value: unknown): void {
  if (!isUnique) return
  if (!store.unique.claim(name, value))
    fail('item-already-exists', `The ${name} is already taken`, { [name]: value })
}

/**
 * Frees the value of an event for other accounts. Decided by the event's own mark, since the settings may have changed
 * since then.
 */
export function releaseValue({ store }: Call, { content, streamIds }: Event): void {
  if (streamIds.includes(uniqueId)) store.unique.release(getFieldName(streamIds[0]!), content)
}

/** Removes the mark of the value in force from a field's other values. */
export function deactivateOthers(call: Call, { name }: AccountField, id: string): void {
  const { caller, changes, now, store } = call
  for (const other of store.fields.list(name)) {
    if (other.id === id || !isActive(other)) continue
    const updated: Event = {
      ...other,
      streamIds: other.streamIds.filter(streamId => streamId !== activeId),
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    changes.addEvent(other)
    changes.addEvent(updated)
    store.events.update(updated)
  }
}

/**
 * Replaces the value in force of a field; does nothing if it is the same. `isOwnerProven`: whether the user
 * has proven who they are in this call. Errors: `item-already-exists`, and the errors of {@link
 * applyFieldValue}. Does not check the value: see {@link assertFieldValue}.
 */
export function setValue(call: Call, field: AccountField, content: unknown, isOwnerProven: boolean): void {
  const { caller, changes, services, now, store } = call
  const before = store.fields.findActive(field.name)
  // Clients send back what they have read: an unchanged value must not count as confirmed.
  if (before?.content === content) return
  claimValue(call, field, content)
  if (before) releaseValue(call, before)
  applyFieldValue(call, field, content, isOwnerProven)
  const modified = store.stamp(now)
  const by = caller.signature
  const event = before
    ? { ...before, streamIds: getActiveStreamIds(field), content, modified, modifiedBy: by }
    : getAccountStreams(services.config).createEvent(field.name, content, { time: now, at: modified, by })!
  if (before) {
    changes.addEvent(before)
    store.events.update(event)
  } else store.events.insert(event)
  changes.addEvent(event)
  changes.add('account')
}
