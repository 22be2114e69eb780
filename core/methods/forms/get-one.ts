/** `forms.getOne`: returns a form with its questionnaire. (docs/api/forms.md) */
import { Type } from 'typebox'
import { Form } from '../../../schemas/plans/form.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireOwnForm } from '../../forms/rules.js'

/** Returns a form of the caller; for personal accesses any. Errors: `unknown-resource`, `forbidden`. */
export const getOne = method({
  id: 'forms.getOne',
  summary: 'Get a form with its questionnaire',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ form: Form }),
  mode: 'read',
  allow: anyAccess,
  run: (call, { id }) => ({ form: requireOwnForm(call, id) })
})
