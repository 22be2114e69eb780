/** Adds a form to an account. (docs/api/forms.md) */
import type { FhirResource, Form } from '../../schemas/plans/form.js'
import { assertRoom } from '../accesses/room.js'
import type { Call } from '../call/method.js'
import { createId } from '../ids.js'
import type { Questionnaire } from './questionnaire.js'
import { assertRecordable } from './rules.js'

/** How many forms an account can have. */
const formRoom = { name: 'forms', max: 50, maxOwn: 10 }

/** A questionnaire as it was checked, and as it was written. */
interface NewForm {
  readonly questionnaire: Questionnaire
  readonly resource: FhirResource
  /** The stream of the answers. */
  readonly streamId: string
}

/**
 * Adds a form of the caller, and returns it. Errors: those of {@link assertRecordable} if the caller may not record the answers,
 * `invalid-operation` if there are too many forms.
 */
export function insertForm(call: Call, { questionnaire, resource, streamId }: NewForm): Form {
  const { caller, now, store } = call
  assertRecordable(call, questionnaire, streamId)
  const creators = store.forms.list().map(({ accessId }) => accessId)
  assertRoom(call, formRoom, creators)
  const at = store.stamp(now)
  const form: Form = {
    id: createId(),
    title: questionnaire.title,
    questionnaire: resource,
    streamId,
    accessId: caller.accessId,
    created: at,
    createdBy: caller.signature,
    modified: at,
    modifiedBy: caller.signature
  }
  store.forms.put(form)
  return form
}
