/** The values of account fields: what may be one, which one is in force, and that no two accounts have the same. (docs/spec/accounts.md#account-events) */
import type { Event } from '../../schemas/event.js'
import { comesIntoForce } from './email/changes.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { activeId, systemName, uniqueId } from '../system-ids.js'
import { accountStreams, markedIds, type AccountField } from './fields.js'
import { refuseParams } from '../validation/params.js'
import { violationOf } from './value-check.js'

const marks: ReadonlySet<string> = new Set([activeId, uniqueId])

/** Whether a stream only marks values. */
export function isMark(streamId: string): boolean {
  return marks.has(streamId)
}

/** The account field whose value an event in these streams is; `undefined` for any other event. */
export function fieldIn({ core }: Call, streamIds: readonly string[]): AccountField | undefined {
  const { fields } = accountStreams(core.config)
  for (const id of streamIds) {
    const field = fields.get(id)
    if (field) return field
  }
  return undefined
}

/** Whether a value is the one in force. */
export function isActive({ streamIds }: Event): boolean {
  return streamIds.includes(activeId)
}

/** Refuses to touch values that the service alone sets. Errors: `invalid-operation`, `forbidden` for hidden ones. */
export function mustBeEditable({ isEditable, isShown, streamId }: AccountField): void {
  if (!isEditable)
    fail('invalid-operation', `Values of "${streamId}" cannot be changed`, {
      streamId,
      streamIds: [streamId]
    })
  if (!isShown) fail('forbidden')
}

/** Raises `invalid-parameters-format` for what no value of the field can be. */
export function mustBeValue(field: AccountField, content: unknown): asserts content is string | number {
  const violation = violationOf(field, content, '#/content')
  if (violation) refuseParams([violation])
}

/** Has a value for this account alone. Raises `item-already-exists`. */
export function claim({ store }: Call, { isUnique, name }: AccountField, value: unknown): void {
  if (!isUnique) return
  if (!store.unique.claim(name, value))
    fail('item-already-exists', `The ${name} cannot be had any more`, { [name]: value })
}

/** Lets others have the value of an event, once it is gone from there. Its mark counts: settings may have changed since. */
export function release({ store }: Call, { content, streamIds }: Event): void {
  if (streamIds.includes(uniqueId)) store.unique.release(systemName(streamIds[0]!), content)
}

/** Takes the mark of the value in force off the others of a field. */
export function deactivateOthers(call: Call, { name }: AccountField, id: string): void {
  const { caller, changes, now, store } = call
  for (const other of store.fields.list(name)) {
    if (other.id === id || !isActive(other)) continue
    changes.add('events', other.streamIds)
    store.events.update({
      ...other,
      streamIds: other.streamIds.filter(streamId => streamId !== activeId),
      modified: store.stamp(now),
      modifiedBy: caller.signature
    })
  }
}

/** Replaces the value in force of a field. Errors: `item-already-exists`. */
export function setValue(call: Call, field: AccountField, content: unknown): void {
  const { caller, changes, core, now, store } = call
  const before = store.fields.active(field.name)
  // Clients send back what they have read: that is no word on whether it is right.
  if (before?.content === content) return
  claim(call, field, content)
  comesIntoForce(call, field, content)
  if (before) release(call, before)
  const modified = store.stamp(now)
  const by = caller.signature
  const event = before
    ? { ...before, streamIds: markedIds(field), content, modified, modifiedBy: by }
    : accountStreams(core.config).eventOf(field.name, content, { time: now, at: modified, by })!
  if (before) store.events.update(event)
  else store.events.insert(event)
  changes.add('events', event.streamIds)
  changes.add('account')
}
