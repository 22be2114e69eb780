/** Creates one event. (docs/spec/events.md#creating) */
import { Type, type Static } from 'typebox'
import { Event, EventType } from '../../../schemas/event.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import { UniqueViolation } from '../../../storage/errors.js'
import type { EventBody } from '../../../storage/repositories/event-row.js'
import { newValueField, ownPlaces, putInForce } from '../../account/value-events.js'
import { anyAccess } from '../../auth/allow.js'
import { mergedClientData } from '../../validation/client-data.js'
import { fail } from '../../errors.js'
import { isGiven, isSeries, namedStreams, readOnly, writable } from '../../events/fields.js'
import { shown } from '../../events/view.js'
import { knownStreams, mustBeLive } from '../../streams/known.js'
import { eventIdPattern, newId } from '../../ids.js'
import type { JsonText } from '../../json/json-text.js'
import { isLarge } from '../../json/writer.js'
import { method, type Call } from '../../call/method.js'
import { protectedFields } from '../../validation/protected-fields.js'
import { besideTags, tagsOf, tagStreams } from '../../streams/tags.js'
import { refuseParams } from '../../validation/params.js'

const Params = Type.Object(
  {
    id: orNull(Type.String({ pattern: eventIdPattern })),
    ...writable,
    type: EventType,
    // Of files only bytes count, which come beside the event.
    ...protectedFields(readOnly)
  },
  closed
)
type Params = Static<typeof Params>

/** The event, as it is then read. */
export const create = method({
  id: 'events.create',
  summary: 'Create an event, with files or without',
  params: Params,
  result: Type.Object({ event: Event }),
  mode: 'write',
  allow: anyAccess,
  takesFiles: true,
  run(call, params) {
    const event = composed(call, params)
    return added(call, params, event)
  },
  steps: {
    areMany: (_store, params) => isLarge(params),
    *run(call, params) {
      const event = composed(call, params)
      const result = added(call, params, event, yield* call.store.events.bodyOf(event))
      // SQLite has copied all of it, and is going to do so again when it commits.
      yield
      return result
    }
  }
})

/** The event that a call asks for; what comes with it, tags and values of accounts, is written. */
function composed(call: Call, params: Params): Event {
  const { caller, core, now, store } = call
  const { type, time, duration, description, trashed } = params
  const named = namedStreams(params) ?? refuseParams([missingStreams])
  const others = besideTags(call, named, params.tags)
  const nodes = knownStreams(store, others)
  const field = newValueField(call, named)
  const content = core.eventTypes.check(type, params.content)
  caller.must('create', ...ownPlaces(others))
  // Who may not write there is not told what state it is in.
  mustBeLive(nodes)
  const ofTags = tagStreams(call, params.tags)
  const streamIds = ofTags.length === 0 ? named : [...new Set([...named, ...ofTags])]
  if (field && params.tags?.length) fail('invalid-operation', 'A value of an account field has no tags')
  const at = store.stamp(now)
  const clientData = mergedClientData(call, undefined, params.clientData)
  const event: Event = {
    id: params.id ?? newId(),
    streamIds,
    streamId: streamIds[0]!,
    time: time ?? now,
    type,
    content,
    created: at,
    createdBy: caller.signature,
    modified: at,
    modifiedBy: caller.signature
  }
  // One by one: to spread what is there takes several times as long.
  // The duration of a holder follows its series, which has no points yet. (docs/spec/series.md#holder-events)
  if (duration !== undefined && !isSeries(type)) event.duration = duration
  if (isGiven(description)) event.description = description
  if (clientData) event.clientData = clientData
  if (call.files.length > 0) event.attachments = [...call.files]
  if (trashed) event.trashed = trashed
  const { tags } = tagsOf(core, streamIds)
  if (tags) event.tags = tags
  return field ? { ...event, streamIds: putInForce(call, field, event) } : event
}

function added(call: Call, { id }: Params, event: Event, body?: EventBody): { event: JsonText } {
  const text = insert(call, event, isGiven(id), body)
  call.changes.add('events', event.streamIds)
  return { event: shown(call, text) }
}

const missingStreams = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'must have required property "streamIds"',
  path: '#',
  params: ['streamIds']
}

/** Adds the event; an id of the client's must never have been used, not even by an event that is deleted. */
function insert({ store }: Call, event: Event, isOwnId: boolean, body?: EventBody): string {
  const { id } = event
  const refuse = (): never => fail('item-already-exists', `An event "${id}" exists already`, { id })
  if (isOwnId && store.history.findDeletion(id)) refuse()
  try {
    return store.events.insert(event, body)
  } catch (error) {
    if (error instanceof UniqueViolation && error.field === 'event.id') refuse()
    throw error
  }
}
