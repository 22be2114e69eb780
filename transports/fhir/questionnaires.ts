/** Forms as Questionnaires: all forms for the user's own sessions, otherwise the forms of the access. */
import { TimeFormatter } from '../../core/exports/time-formatter.js'
import type { Form } from '../../schemas/plans/form.js'
import type { ReadRequest } from '../endpoints.js'
import { compareKeys, takePage, type ListKey, type Page } from './bundle.js'
import { ifFound } from './outcome.js'
import { omitBaseUrl, type Patient } from './patient.js'
import { readSearch } from './search-params.js'

/** The parameters of searches, with the types of their values. */
export const questionnaireParams = { _id: 'token', url: 'uri' } as const

const formUrl = 'urn:coffer:form:'
const statuses = ['draft', 'active', 'retired', 'unknown']
const instants = new TimeFormatter()

/**
 * Returns whether a text names a questionnaire by its URL: that, also without a version, and for a form also the names in the
 * resource.
 */
export function isNameOfForm(name: string, url: string): boolean {
  if (name === url || name === url.split('|', 1)[0]) return true
  if (!url.startsWith(formUrl)) return false
  const id = url.slice(formUrl.length)
  return name === id || omitBaseUrl(name) === `Questionnaire/${id}`
}

/** Reads one questionnaire. */
export async function readQuestionnaire({ calls }: Patient, id: string): Promise<object> {
  const { form } = await calls.call<{ form: Form }>('forms.getOne', { id })
  const { status, url: original, ...questionnaire } = form.questionnaire
  return {
    ...questionnaire,
    id,
    meta: { lastUpdated: instants.format(form.modified) },
    // Responses refer to it by this URL.
    url: `${formUrl}${id}`,
    ...(typeof original === 'string' && { derivedFrom: [original] }),
    status: statuses.includes(String(status)) ? status : 'active'
  }
}

/** Searches for questionnaires, the oldest first. */
export async function searchQuestionnaires(patient: Patient, request: ReadRequest): Promise<Page> {
  const search = readSearch(request, Object.keys(questionnaireParams))
  const { forms } = await patient.calls.call<{ forms: ListedForm[] }>('forms.get', {})
  const found = forms
    .filter(
      ({ id }) =>
        search.listValues('_id').every(values => values.includes(id)) &&
        search.listValues('url').every(values => values.includes(`${formUrl}${id}`))
    )
    .toSorted((a, b) => compareKeys(toKey(a), toKey(b)))
  const page = await takePage(
    found,
    search,
    toKey,
    async ({ id }) =>
      // It may have been deleted since it was listed.
      await ifFound(readQuestionnaire(patient, id))
  )
  return { type: 'Questionnaire', search, ...page }
}

type ListedForm = Pick<Form, 'created' | 'id'>

const toKey = ({ created, id }: ListedForm): ListKey => ({ time: created, id })
