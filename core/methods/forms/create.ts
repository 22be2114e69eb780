/** `forms.create`: adds a form. (docs/api/forms.md) */
import { Type } from 'typebox'
import { FhirResource, Form } from '../../../schemas/plans/form.js'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { insertForm } from '../../forms/insert-form.js'
import { readQuestionnaire } from '../../forms/questionnaire.js'
import { buildQuestionnaire } from '../../forms/templates/build.js'
import { templates } from '../../forms/templates/index.js'
import { refuseParams } from '../../validation/params.js'

/**
 * Adds a form and returns it: of a questionnaire, or of a template in a language, English by default. Exactly
 * one of both must be given.
 */
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
    const template = templates.find(({ id }) => id === params.template)
    const resource = template ? buildQuestionnaire(template, params.language ?? 'en') : params.questionnaire
    if (!resource || (template && params.questionnaire))
      refuseParams([{ code: 'INVALID', message: 'must have either questionnaire or template', path: '#' }])
    const questionnaire = readQuestionnaire(resource)
    return { form: insertForm(call, { questionnaire, resource, streamId: params.streamId }) }
  }
})
