/** `forms.get`: lists forms, and what forms can be made from. (docs/api/forms.md) */
import { Type } from 'typebox'
import { Form } from '../../../schemas/plans/form.js'
import { closed } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { templates } from '../../forms/templates/index.js'

/** Returns the forms that the caller created, oldest first; for personal accesses all. */
export const get = method({
  id: 'forms.get',
  summary: 'List forms, and templates for new ones',
  params: Type.Object({}, closed),
  result: Type.Object({
    /** The forms, without their questionnaires. */
    forms: Type.Array(Type.Omit(Form, ['questionnaire'])),
    templates: Type.Array(Type.Object({ id: Type.String(), title: Type.String() }))
  }),
  mode: 'read',
  allow: anyAccess,
  run({ caller, store }) {
    const forms = store.forms
      .list()
      .filter(({ accessId }) => caller.isPersonal || accessId === caller.accessId)
      .toSorted((a, b) => a.created - b.created)
      .map(({ questionnaire: _questionnaire, ...form }) => form)
    return { forms, templates: templates.map(({ id, texts }) => ({ id, title: texts.en.title })) }
  }
})
