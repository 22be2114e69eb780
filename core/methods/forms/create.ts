/** `forms.create`: adds a form. (docs/api/forms.md) */
import { Type } from 'typebox'
import { FhirResource, Form } from '../../../schemas/plans/form.js'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { assertRoom } from '../../accesses/room.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { readQuestionnaire } from '../../forms/questionnaire.js'
import { assertRecordable, formRoom } from '../../forms/rules.js'
import { buildQuestionnaire } from '../../forms/templates/build.js'
import { templates } from '../../forms/templates/index.js'
import { createId } from '../../ids.js'
import { refuseParams } from '../../validation/params.js'

/** Returns the form: of a questionnaire, or of a template in a language. */
export const create = method({
  id: 'forms.create',
  summary: 'Add a form',
  params: Type.Object(
    {
      questionnaire: orNull(FhirResource),
      template: orNull(Type.Enum(templates.map(({ id }) => id))),
      language: orNull(Type.Enum(['en', 'de', 'fr'])),
      streamId: Identifier
    },
    closed
  ),
  result: Type.Object({ form: Form }),
  mode: 'write',
  allow: anyAccess,
  run(call, params) {
    const { caller, now, store } = call
    const template = templates.find(({ id }) => id === params.template)
    const resource = template ? buildQuestionnaire(template, params.language ?? 'en') : params.questionnaire
    if (!resource || (template && params.questionnaire))
      refuseParams([{ code: 'INVALID', message: 'must have either questionnaire or template', path: '#' }])
    const questionnaire = readQuestionnaire(resource)
    assertRecordable(call, questionnaire, params.streamId)
    const creators = store.forms.list().map(({ accessId }) => accessId)
    assertRoom(call, formRoom, creators)
    const at = store.stamp(now)
    const form: Form = {
      id: createId(),
      title: questionnaire.title,
      questionnaire: resource,
      streamId: params.streamId,
      accessId: caller.accessId,
      created: at,
      createdBy: caller.signature,
      modified: at,
      modifiedBy: caller.signature
    }
    store.forms.put(form)
    return { form }
  }
})
