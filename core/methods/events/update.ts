/** Changes, moves, trashes or restores one event. (docs/spec/events.md#updating) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import {
  assertStaysOutsideAccount,
  ownPlaces,
  placesOfValue,
  settleUpdate
} from '../../account/value-events.js'
import { fieldIn } from '../../account/values.js'
import { anyAccess } from '../../auth/allow.js'
import { mergedClientData } from '../../validation/client-data.js'
import { fail } from '../../errors.js'
import { EventUpdate, isGiven, isSeries, namedStreams, readOnly } from '../../events/fields.js'
import { knownStreams, assertNotInTrash } from '../../streams/known.js'
import { shown } from '../../events/view.js'
import { isLarge, largeSize } from '../../json/writer.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { refuseProtected } from '../../validation/protected-fields.js'
import { assertClientDataZone } from '../../validation/zones.js'
import { isTagStream, tagged, tagStreams } from '../../streams/tags.js'
import type { AccountField } from '../../account/fields.js'
import { findWritableEvent, prepareBody } from '../../events/writable.js'

/** Returns the changed event. */
export const update = methodInSteps({
  id: 'events.update',
  summary: 'Change an event',
  params: Type.Object({ id: Identifier, update: EventUpdate }, closed),
  result: Type.Object({ event: Event }),
  mode: 'write',
  allow: anyAccess,
  isLong: ({ events }, { id, update: given }) => isLarge(Object(given)) || events.isLarger(id, largeSize),
  *run(call, { id, update: given }) {
    const before = yield* findWritableEvent(call, id)
    const event = changed(call, before, given)
    const text = call.store.events.update(event, yield* prepareBody(call, event))
    // Both: callers who saw the event in its former streams are told that it has left them.
    call.changes.add('events', before.streamIds)
    call.changes.add('events', event.streamIds)
    return { event: shown(call, text) }
  }
})

/** The event as it is to be; what comes with that, tags and values of accounts, is written. */
function changed(call: Call, before: Event, given: EventUpdate): Event {
  const { caller, services, now, store } = call
  refuseProtected(call, ['id', ...readOnly], given)
  const field = fieldIn(call, before.streamIds)
  const streamIds = movedTo(call, before, given, field)
  assertMayMove(call, before.streamIds, streamIds, given.tags !== undefined)
  const joined = streamIds.filter(id => !before.streamIds.includes(id))
  assertNotInTrash(knownStreams(store, joined))
  const type = given.type ?? before.type
  const content = contentOf(call, before, given, type)
  const { duration, description, trashed } = given
  assertClientDataZone(given.clientData, '#/update/clientData')
  const event = tagged(services, {
    ...before,
    streamIds,
    streamId: streamIds[0]!,
    time: given.time ?? before.time,
    // That of a holder follows its series, whatever anybody says.
    ...(duration !== undefined && !isSeries(type) && { duration }),
    type,
    content,
    ...(description !== undefined && { description: description ?? '' }),
    clientData: mergedClientData(call, before.clientData, given.clientData) ?? {},
    ...(trashed !== undefined && { trashed: trashed === true }),
    modified: store.stamp(now),
    modifiedBy: caller.signature
  })
  if (field) settleUpdate(call, field, before, event)
  return event
}

/**
 * The streams that the event is in afterwards. It may stay in a trashed one, but join none. `tags` decide which streams
 * of tags there are; without them `streamIds` is the whole list, while the older `streamId` knows of no such streams.
 */
function movedTo(call: Call, before: Event, given: EventUpdate, field: AccountField | undefined): string[] {
  const isTag = (id: string): boolean => isTagStream(call.services, id)
  const named = namedStreams(given) ?? before.streamIds
  knownStreams(call.store, named)
  if (field) {
    if (given.tags?.length) fail('invalid-operation', 'A value of an account field has no tags')
    return placesOfValue(call, field, before, named)
  }
  assertStaysOutsideAccount(call, before, named)
  if (given.tags !== undefined) {
    const others = named.filter(id => !isTag(id))
    const ids = [...others, ...tagStreams(call, given.tags, before.streamIds)]
    return ids.length > 0
      ? ids
      : fail('invalid-operation', 'Without its tags the event would be in no stream')
  }
  if (!isGiven(given.streamId)) return named
  return [...new Set([...named, ...before.streamIds.filter(isTag)])]
}

function contentOf(call: Call, before: Event, given: EventUpdate, type: string): unknown {
  const { content } = given
  if (isSeries(type) !== isSeries(before.type))
    fail('invalid-operation', 'A holder of a series and a normal event cannot become each other')
  if (isSeries(type)) {
    if (type !== before.type) fail('invalid-operation', 'The type of a series cannot change')
    refuseProtected(call, ['content'], given)
    return before.content
  }
  if (content === undefined && type === before.type) return before.content
  return call.services.eventTypes.check(type, content === undefined ? before.content : content)
}

/** Streams of tags that come and go with `tags` need no rights of their own. */
function assertMayMove(
  { caller, services }: Call,
  before: readonly string[],
  after: readonly string[],
  isByTags: boolean
): void {
  const added = after.filter(id => !before.includes(id))
  const removed = before.filter(id => !after.includes(id))
  const named = ownPlaces([...added, ...removed]).filter(id => !isByTags || !isTagStream(services, id))
  caller.must('contribute', ...named)
}
