/** Who may use which form, and where its answers go. (docs/api/forms.md#forms-of-apps) */
import type { Form } from '../../schemas/plans/form.js'
import { assertCreator } from '../auth/allow.js'
import type { Call } from '../call/method.js'
import { fail, quoteText } from '../errors.js'
import { assertMayAddTo } from '../events/event-permissions.js'
import { isSeries } from '../events/fields.js'
import { assertNotSecretType } from '../shared-secrets/rules.js'
import { refuse } from './fhir-json.js'
import type { Questionnaire } from './questionnaire.js'

/** Type of the events that hold responses. */
export const responseType = 'questionnaire/response'

/** Returns a form if the caller created it or is personal. Errors: `unknown-resource`, `forbidden`. */
export function requireOwnForm({ caller, store }: Pick<Call, 'caller' | 'store'>, id: string): Form {
  const form = store.forms.find(id) ?? fail('unknown-resource', `Unknown form ${quoteText(id)}`)
  assertCreator(caller, form.accessId)
  return form
}

/**
 * Checks that the caller may add to all streams in which answers are stored. Errors:
 * `invalid-parameters-format` for types of series, and those of {@link assertMayAddTo}.
 */
export function assertRecordable(call: Call, { items, scores }: Questionnaire, streamId: string): void {
  const bindings = [...[...items.values()].flatMap(({ binding }) => binding ?? []), ...scores]
  for (const { type } of bindings) {
    if (isSeries(type)) refuse('#/questionnaire', 'must not store answers in series')
    assertNotSecretType(type)
  }
  for (const id of new Set([streamId, ...bindings.flatMap(each => each.streamId ?? [])]))
    assertMayAddTo(call, id)
}
