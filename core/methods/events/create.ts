/** Creates one event. (service.md, Events; supplement 8.4) */
import { Type } from 'typebox'
import { Event, EventType } from '../../../schemas/event.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import { UniqueViolation } from '../../../storage/errors.js'
import { newValueField, ownPlaces, putInForce } from '../../account-events.js'
import { anyAccess } from '../../allow.js'
import { mergedClientData } from '../../client-data.js'
import { fail } from '../../errors.js'
import { isGiven, isSeries, namedStreams, writable } from '../../event-fields.js'
import { shown } from '../../event-view.js'
import { knownStreams, mustBeLive } from '../../event-streams.js'
import { eventIdPattern, newId } from '../../ids.js'
import { method, type Call } from '../../method.js'
import { tagsOf, tagStreams } from '../../tags.js'
import { refuseParams } from '../../validation.js'

/** The event, as it is then read. */
export const create = method({
  id: 'events.create',
  params: Type.Object(
    { id: orNull(Type.String({ pattern: eventIdPattern })), ...writable, type: EventType },
    closed
  ),
  result: Type.Object({ event: Event }),
  mode: 'write',
  allow: anyAccess,
  takesFiles: true,
  run(call, params) {
    const { caller, changes, core, now, store } = call
    const { type, time, duration, description, trashed } = params
    const named = namedStreams(params) ?? refuseParams([missingStreams])
    mustBeLive(knownStreams(store, named))
    const field = newValueField(call, named)
    const content = core.eventTypes.check(type, params.content)
    caller.must('create', ...ownPlaces(named))
    const streamIds = [...new Set([...named, ...tagStreams(call, params.tags)])]
    if (field && params.tags?.length) fail('invalid-operation', 'A value of an account field has no tags')
    const at = store.stamp(now)
    const clientData = mergedClientData(call, undefined, params.clientData)
    const event = {
      id: params.id ?? newId(),
      streamIds,
      streamId: streamIds[0]!,
      time: time ?? now,
      // That of a holder follows its series, which has no points yet. (supplement 18.1)
      ...(duration !== undefined && !isSeries(type) && { duration }),
      type,
      content,
      ...(isGiven(description) && { description }),
      ...(clientData && { clientData }),
      ...(call.files.length > 0 && { attachments: [...call.files] }),
      ...(trashed && { trashed }),
      ...tagsOf(core, streamIds),
      created: at,
      createdBy: caller.signature,
      modified: at,
      modifiedBy: caller.signature
    }
    const placed = field ? { ...event, streamIds: putInForce(call, field, event) } : event
    const text = insert(call, placed, isGiven(params.id))
    changes.add('events', placed.streamIds)
    return { event: shown(call, text) }
  }
})

const missingStreams = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'must have required property "streamIds"',
  path: '#',
  params: ['streamIds']
}

/** Adds the event; an id of the client's must never have been used, not even by an event that is deleted. */
function insert({ store }: Call, event: Event, isOwnId: boolean): string {
  const { id } = event
  const refuse = (): never => fail('item-already-exists', `An event "${id}" exists already`, { id })
  if (isOwnId && store.history.findDeletion(id)) refuse()
  try {
    return store.events.insert(event)
  } catch (error) {
    if (error instanceof UniqueViolation && error.field === 'event.id') refuse()
    throw error
  }
}
