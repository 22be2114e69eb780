/** Validates the forms of a foreign file. */
import { readQuestionnaire } from '../../core/forms/questionnaire.js'
import { Form } from '../../schemas/plans/form.js'
import { compileShape, type Examiner } from './examiner.js'

const isForm = compileShape(Form)

/** Reports problems with forms and their questionnaires. */
export function examineForms(examiner: Examiner): void {
  const { file } = examiner
  for (const { access, body, id } of file.rows('SELECT * FROM form')) {
    const form = examiner.read('form', id, body, isForm) as Form | undefined
    if (!form) continue
    const isIndexed = form.id === id && form.accessId === access
    examiner.check(isIndexed, 'form', id, "is indexed under values that don't match its content")
    examiner.check(isReadable(form), 'form', id, 'has a questionnaire that the service does not accept')
  }
  const stray = file.first('SELECT id FROM form WHERE access NOT IN (SELECT id FROM access)')
  examiner.check(stray === undefined, 'form', stray, 'belongs to no access')
}

function isReadable({ questionnaire, title }: Form): boolean {
  try {
    return readQuestionnaire(questionnaire).title === title
  } catch {
    return false
  }
}
