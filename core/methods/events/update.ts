/** Changes, moves, trashes or restores one event. (docs/spec/events.md#updating) */
import { Type } from 'typebox'
import type { Steps } from '../../../storage/steps.js'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import {
  applyUpdateOutsideAccount,
  omitMarks,
  resolveValueStreams,
  applyValueUpdate
} from '../../account/value-events.js'
import { findField } from '../../account/values.js'
import { anyAccess } from '../../auth/allow.js'
import { mergeClientData } from '../../validation/client-data.js'
import { fail } from '../../errors.js'
import { EventUpdate, isGiven, isSeries, getNamedStreams, readOnlyFields } from '../../events/fields.js'
import { requireStreams, assertNotInTrash } from '../../streams/require-streams.js'
import { toPublicEvent } from '../../events/public-event.js'
import { hasLargeValues, largeSize } from '../../json/writer.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { assertNotSecretsStream, assertNotSecretType } from '../../shared-secrets/rules.js'
import { refuseProtected } from '../../validation/protected-fields.js'
import { assertClientDataZone } from '../../validation/zones.js'
import { isTagStreamId, addTags, provideTagStreams } from '../../streams/tags.js'
import type { AccountField } from '../../account/fields.js'
import { findWritableEvent, prepareBody } from '../../events/writable-event.js'

/**
 * Returns the changed event. Streams that it leaves or enters need permissions; its tags do not. A series
 * keeps its type, content and duration.
 */
export const update = methodInSteps({
  id: 'events.update',
  summary: 'Update an event',
  params: Type.Object({ id: Identifier, update: EventUpdate }, closed),
  result: Type.Object({ event: Event }),
  mode: 'write',
  allow: anyAccess,
  isLong: ({ events }, { id, update: given }) =>
    hasLargeValues(Object(given)) || events.isLarger(id, largeSize),
  *run(call, { id, update: given }) {
    const before = yield* findWritableEvent(call, id)
    const event = yield* buildUpdated(call, before, given)
    const text = call.store.events.update(event, yield* prepareBody(call, event))
    // Both: callers who saw the event as it was are notified that they may no longer see it.
    call.changes.addEvent(before)
    call.changes.addEvent(event)
    return { event: toPublicEvent(call, text) }
  }
})

/**
 * Builds the updated event, and writes its tag streams and account values. Errors of the rules for moving,
 * types and protected fields.
 */
function* buildUpdated(call: Call, before: Event, given: EventUpdate): Steps<Event> {
  const { caller, services, now, store } = call
  refuseProtected(call, ['id', ...readOnlyFields], given)
  assertNotSecretType(given.type)
  assertNotSecretsStream(...(getNamedStreams(given) ?? []))
  const field = findField(call, before.streamIds)
  const streamIds = yield* resolveStreams(call, before, given, field)
  assertMayMove(call, before.streamIds, streamIds, given.tags !== undefined)
  const addedStreams = streamIds.filter(id => !before.streamIds.includes(id))
  assertNotInTrash(requireStreams(store, addedStreams))
  const type = given.type ?? before.type
  const content = resolveContent(call, before, given, type)
  const { duration, description, trashed } = given
  assertClientDataZone(given.clientData, '#/update/clientData')
  const event = addTags(services, {
    ...before,
    streamIds,
    streamId: streamIds[0]!,
    time: given.time ?? before.time,
    // The duration of a holder follows from its points.
    ...(duration !== undefined && !isSeries(type) && { duration }),
    type,
    content,
    ...(description !== undefined && { description: description ?? '' }),
    clientData: mergeClientData(call, before.clientData, given.clientData) ?? {},
    ...(trashed !== undefined && { trashed: trashed === true }),
    modified: store.stamp(now),
    modifiedBy: caller.signature
  })
  if (field) applyValueUpdate(call, field, before, event)
  return event
}

/**
 * Returns the streams of the event after the update, and creates tag streams. It may stay in a trashed
 * stream, but not be added to a trashed stream. `tags` replace the tag streams; without them `streamIds` is
 * the whole list, while the older `streamId` leaves tag streams as they are. Throws `invalid-operation` if no
 * stream is left.
 */
function* resolveStreams(
  call: Call,
  before: Event,
  given: EventUpdate,
  field: AccountField | undefined
): Steps<string[]> {
  const isTag = (id: string): boolean => isTagStreamId(call.services, id)
  const named = getNamedStreams(given) ?? before.streamIds
  requireStreams(call.store, named)
  if (field) {
    if (given.tags?.length) fail('invalid-operation', 'Values of account fields cannot have tags')
    return resolveValueStreams(call, field, before, named)
  }
  applyUpdateOutsideAccount(call, before, named)
  if (given.tags !== undefined) {
    const others = named.filter(id => !isTag(id))
    const ids = [...others, ...(yield* provideTagStreams(call, given.tags, before.streamIds))]
    return ids.length > 0
      ? ids
      : fail('invalid-operation', 'Without its tags, the event would not be in any stream')
  }
  if (!isGiven(given.streamId)) return named
  return [...new Set([...named, ...before.streamIds.filter(isTag)])]
}

function resolveContent(call: Call, before: Event, given: EventUpdate, type: string): unknown {
  const { content } = given
  if (isSeries(type) !== isSeries(before.type))
    fail('invalid-operation', 'A series event cannot become a normal event, or the reverse')
  if (isSeries(type)) {
    if (type !== before.type) fail('invalid-operation', 'The type of a series cannot change')
    refuseProtected(call, ['content'], given)
    return before.content
  }
  if (content === undefined && type === before.type) return before.content
  return call.services.eventTypes.check(type, content === undefined ? before.content : content)
}

/** Throws `forbidden` unless the caller may move the event. Tag streams added or removed by `tags` need no permission. */
function assertMayMove(
  { caller, services }: Call,
  before: readonly string[],
  after: readonly string[],
  isByTags: boolean
): void {
  const added = after.filter(id => !before.includes(id))
  const removed = before.filter(id => !after.includes(id))
  const named = omitMarks([...added, ...removed]).filter(id => !isByTags || !isTagStreamId(services, id))
  caller.must('contribute', ...named)
}
