/** Creates one event. (docs/spec/events.md#creating) */
import { Type, type Static } from 'typebox'
import { Event, EventType } from '../../../schemas/event.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import { UniqueViolation } from '../../../storage/errors.js'
import type { Steps } from '../../../storage/steps.js'
import type { EventBody } from '../../../storage/repositories/event-row.js'
import { findNewValueField, omitMarks, activateValue } from '../../account/value-events.js'
import { anyAccess } from '../../auth/allow.js'
import { mergeClientData } from '../../validation/client-data.js'
import { fail } from '../../errors.js'
import { assertFileCount } from '../../events/attachments.js'
import { isGiven, isSeries, getNamedStreams, readOnlyFields, writableFields } from '../../events/fields.js'
import { toPublicEvent } from '../../events/public-event.js'
import { prepareBody } from '../../events/writable-event.js'
import { requireStreams, assertNotInTrash } from '../../streams/require-streams.js'
import { eventIdPattern, createId } from '../../ids.js'
import { hasLargeValues } from '../../json/writer.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { assertNotSecretsStream, assertNotSecretType } from '../../shared-secrets/rules.js'
import { acceptProtectedFields } from '../../validation/protected-fields.js'
import { omitOwnTags, getTags, provideTagStreams } from '../../streams/tags.js'
import { refuseParams } from '../../validation/params.js'
import { assertClientDataZone } from '../../validation/zones.js'

const Params = Type.Object(
  {
    id: orNull(Type.String({ pattern: eventIdPattern })),
    ...writableFields,
    type: EventType,
    // Given `attachments` are ignored: files come as uploads next to the event.
    ...acceptProtectedFields(readOnlyFields)
  },
  closed
)
type Params = Static<typeof Params>

/**
 * Creates an event, and the streams of its `tags`, and returns it as it is read from then on. In a stream of
 * an account field, it becomes the value in force. Throws `item-already-exists` for an id that has ever been
 * used.
 */
export const create = methodInSteps({
  id: 'events.create',
  summary: 'Create an event, optionally with files',
  params: Params,
  result: Type.Object({ event: Event }),
  mode: 'write',
  allow: anyAccess,
  takesFiles: true,
  isLong: (_store, params) => hasLargeValues(params),
  *run(call, params) {
    const event = yield* buildEvent(call, params)
    const text = insertOrRefuse(call, event, isGiven(params.id), yield* prepareBody(call, event))
    call.changes.addEvent(event)
    return { event: toPublicEvent(call, text) }
  }
})

/**
 * Builds the event of a call, and writes its tag streams and account values. The duration of a series is
 * ignored. Refuses what the caller may not do.
 */
function* buildEvent(call: Call, params: Params): Steps<Event> {
  const { caller, services, now, store } = call
  const { type, time, duration, description, trashed } = params
  assertFileCount(services, call.files.length)
  const named = getNamedStreams(params) ?? refuseParams([missingStreamsViolation])
  assertNotSecretType(type)
  assertNotSecretsStream(...named)
  const others = omitOwnTags(call, named, params.tags)
  const nodes = requireStreams(store, others)
  const field = findNewValueField(call, named)
  const content = services.eventTypes.check(type, params.content)
  caller.must('create', ...omitMarks(others))
  // The trash is checked after permissions, so that the state of a stream is not revealed.
  assertNotInTrash(nodes)
  const ofTags = yield* provideTagStreams(call, params.tags)
  const streamIds = ofTags.length === 0 ? named : [...new Set([...named, ...ofTags])]
  if (field && params.tags?.length) fail('invalid-operation', 'Values of account fields cannot have tags')
  const at = store.stamp(now)
  assertClientDataZone(params.clientData, '#/clientData')
  const clientData = mergeClientData(call, undefined, params.clientData)
  const event: Event = {
    id: params.id ?? createId(),
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
  // One by one, as spreading takes several times as long.
  // The duration of a series holder follows from its points: there are none yet. (docs/spec/series.md#holder-events)
  if (duration !== undefined && !isSeries(type)) event.duration = duration
  if (isGiven(description)) event.description = description
  if (clientData) event.clientData = clientData
  if (call.files.length > 0) event.attachments = [...call.files]
  if (trashed) event.trashed = trashed
  const { tags } = getTags(services, streamIds)
  if (tags) event.tags = tags
  return field ? { ...event, streamIds: activateValue(call, field, event) } : event
}

const missingStreamsViolation = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'must have required property "streamIds"',
  path: '#',
  params: ['streamIds']
}

/**
 * Inserts the event and returns its JSON. Throws `item-already-exists` for an id that exists; one chosen by
 * the client must never have been used, not even by a deleted event.
 */
function insertOrRefuse(
  { store }: Call,
  event: Event,
  isOwnId: boolean,
  body: EventBody | undefined
): string {
  const { id } = event
  const refuse = (): never =>
    fail('item-already-exists', `An event with the ID "${id}" already exists`, { id })
  if (isOwnId && (store.history.findDeletion(id) || store.sharedSecrets.find(id))) refuse()
  try {
    return store.events.insert(event, body)
  } catch (error) {
    if (error instanceof UniqueViolation && error.field === 'event.id') refuse()
    throw error
  }
}
