/** `forms.update`: replaces the questionnaire of a form, or where its answers go. (docs/api/forms.md) */
import { Type } from 'typebox'
import { FhirResource, Form } from '../../../schemas/plans/form.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { readQuestionnaire } from '../../forms/questionnaire.js'
import { assertRecordable, requireOwnForm } from '../../forms/rules.js'
import { acceptProtectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'

/** Fields that only the service sets. */
const readOnlyFields = ['id', 'title', 'accessId', ...trackingFields] as const

/** Returns the changed form, whose title is that of the questionnaire. Former responses stay as they are. */
export const update = method({
  id: 'forms.update',
  summary: 'Change a form',
  params: Type.Object(
    {
      id: Identifier,
      update: Type.Object(
        {
          questionnaire: Type.Optional(FhirResource),
          streamId: Type.Optional(Identifier),
          ...acceptProtectedFields(readOnlyFields)
        },
        closed
      )
    },
    closed
  ),
  result: Type.Object({ form: Form }),
  mode: 'write',
  allow: anyAccess,
  run(call, { id, update: given }) {
    const { caller, now, store } = call
    const before = requireOwnForm(call, id)
    refuseProtected(call, readOnlyFields, given)
    const { questionnaire = before.questionnaire, streamId = before.streamId } = given
    const read = readQuestionnaire(questionnaire, '#/update/questionnaire')
    assertRecordable(call, read, streamId)
    const form: Form = {
      ...before,
      title: read.title,
      questionnaire,
      streamId,
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    store.forms.put(form)
    return { form }
  }
})
