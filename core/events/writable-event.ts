/** Checks that a caller may change an event; in steps for large events. (docs/spec/events.md#who-may-do-what) */
import type { Event } from '../../schemas/event.js'
import { findField, assertEditable } from '../account/values.js'
import { isAuditId } from '../audit-ids.js'
import { fail } from '../errors.js'
import { assertNotSecret } from '../shared-secrets/rules.js'
import { mayRead } from './event-permissions.js'
import { readJson, unlimited } from '../json/reader.js'
import type { Call } from '../call/method.js'
import type { EventBody } from '../../storage/repositories/event-row.js'
import type { Steps } from '../../storage/steps.js'
import { isSystemId } from '../system-ids.js'

/**
 * Returns the event, which is read in steps on a draft. Errors: `unknown-resource`, also for a deleted event;
 * `forbidden` unless the caller contributes to one of its streams; `invalid-operation` for values of account fields
 * that the service alone sets.
 */
export function* findWritableEvent(call: Call, id: string): Steps<Event> {
  const { isDraft, events } = call.store
  if (!isDraft) return requireWritable(call, id, events.find(id))
  const text = events.findText(id)
  return requireWritable(call, id, text && ((yield* readJson(text.body, unlimited)) as Event))
}

/** Like {@link findWritableEvent}, for an event that has already been read: `found`, or `undefined` if it does not exist. */
export function requireWritable(call: Call, id: string, found: Event | undefined): Event {
  const { caller } = call
  if (isAuditId(id)) fail('invalid-operation', 'The audit cannot be changed')
  if (!found) assertNotSecret(call, id)
  const event = found ?? fail('unknown-resource', `No event "${id}"`)
  if (!event.streamIds.some(streamId => caller.may('contribute', streamId))) fail('forbidden')
  // The response shows the event: it must not be hidden by another of its streams.
  if (!mayRead(call, event)) fail('forbidden')
  const field = isSystemId(event.streamId) && findField(call, event.streamIds)
  if (field) assertEditable(field)
  return event
}

/**
 * Returns the text of an event to store, made in steps on a draft. Outside of steps it returns `undefined`: the text is
 * then made when the event is stored.
 */
export function* prepareBody({ store }: Call, event: Event): Steps<EventBody | undefined> {
  return store.isDraft ? yield* store.events.writeBody(event) : undefined
}
