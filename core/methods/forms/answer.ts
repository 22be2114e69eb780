/** `forms.answer`: stores a response to a form. (docs/api/forms.md#responses) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { FhirResource } from '../../../schemas/plans/form.js'
import { closed, Identifier, orNull, Timestamp } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { runUninterrupted } from '../../dispatch/run-write.js'
import { fail } from '../../errors.js'
import { listEvents } from '../../forms/events.js'
import { readQuestionnaire } from '../../forms/questionnaire.js'
import { readResponse } from '../../forms/response.js'
import { assertRecordable, requireOwnForm } from '../../forms/rules.js'
import { createId } from '../../ids.js'
import { completeOccurrence } from '../../reminders/occurrences.js'
import { requireOwnReminder } from '../../reminders/rules.js'
import { omitNulls } from '../../validation/omit-nulls.js'
import { create as createEvent } from '../events/create.js'

/**
 * Stores a response as an event, with further events for single answers and sums, and marks the reminder as
 * done. Returns the event with the response, and the ids of the others.
 */
export const answer = method({
  id: 'forms.answer',
  summary: 'Store a response to a form',
  params: Type.Object(
    {
      id: Identifier,
      response: FhirResource,
      /** When the form was answered; now by default. */
      time: orNull(Timestamp),
      /** The reminder of the form that this answers. */
      reminder: orNull(Type.Object({ id: Identifier, due: Timestamp }, closed))
    },
    closed
  ),
  result: Type.Object({
    event: Event,
    /** Ids of the events that were created for single answers and sums. */
    eventIds: Type.Array(Identifier)
  }),
  mode: 'write',
  allow: anyAccess,
  run(call, params) {
    const { id, reminder, response, time = call.now } = omitNulls(params)
    const form = requireOwnForm(call, id)
    const questionnaire = readQuestionnaire(form.questionnaire)
    assertRecordable(call, questionnaire, form.streamId)
    const answers = readResponse(questionnaire, response)
    const responseId = createId()
    if (reminder) {
      const row = requireOwnReminder(call, reminder.id)
      if (row.reminder.formId !== id) fail('invalid-operation', 'The reminder is not of this form')
      completeOccurrence(call, row, { due: reminder.due, eventId: responseId })
    }
    const clientData = reminder ? { 'coffer:reminder': reminder } : {}
    const [first, ...others] = listEvents(form, questionnaire, { answers, time, responseId, clientData })
    const created = runUninterrupted(createEvent, call, first)
    for (const other of others) runUninterrupted(createEvent, call, other)
    return { ...created, eventIds: others.map(each => each.id) }
  }
})
