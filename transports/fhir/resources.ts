/** The types of resources that are served, and how they are read and searched for. */
import type { ReadRequest } from '../endpoints.js'
import { buildBundle, buildCount, type Bundle, type Page } from './bundle.js'
import { consentParams, readConsent, searchConsents } from './consents.js'
import { documentParams, readDocument, searchDocuments } from './documents.js'
import { observationParams, readObservation, searchObservations } from './observations.js'
import { refuse } from './outcome.js'
import type { Patient } from './patient.js'
import { patientParams, readPatient, searchPatients } from './patients.js'
import { questionnaireParams, readQuestionnaire, searchQuestionnaires } from './questionnaires.js'
import { readResponse, responseParams, searchResponses } from './responses.js'

/** A type of resources. */
export interface ResourceType {
  /** The parameters of searches, with the types of their values. */
  readonly params: Readonly<Record<string, 'date' | 'reference' | 'token' | 'uri'>>
  /** Reads one resource. Refuses with 404 if there is none, and with the errors of the calls. */
  read(patient: Patient, id: string): Promise<object>
  /**
   * Searches, and returns one page. Refuses parameters that are not supported, and with the errors of the
   * calls.
   */
  search(patient: Patient, request: ReadRequest): Promise<Page>
}

/** The types by their names. */
export const resources: ReadonlyMap<string, ResourceType> = new Map<string, ResourceType>([
  ['Consent', { params: consentParams, read: readConsent, search: searchConsents }],
  ['DocumentReference', { params: documentParams, read: readDocument, search: searchDocuments }],
  ['Observation', { params: observationParams, read: readObservation, search: searchObservations }],
  ['Patient', { params: patientParams, read: readPatient, search: searchPatients }],
  ['Questionnaire', { params: questionnaireParams, read: readQuestionnaire, search: searchQuestionnaires }],
  ['QuestionnaireResponse', { params: responseParams, read: readResponse, search: searchResponses }]
])

/** Maximum number of pages whose resources are counted in one request. */
const maxCountedPages = 20

/**
 * Searches, and returns the bundle of a page, or with the number of resources only. Refuses to count more than 20 pages. Errors:
 * the errors of the search.
 */
export async function search(type: ResourceType, patient: Patient, request: ReadRequest): Promise<Bundle> {
  let page = await type.search(patient, request)
  if (!page.search.isCountOnly) return buildBundle(patient, page)
  if (page.search.page !== undefined) refuse('invalid', 'A search that only counts has no pages')
  let total = page.resources.length
  for (let pages = 1; page.next !== undefined; pages++) {
    if (pages >= maxCountedPages)
      refuse('too-costly', 'There are too many resources to count. Limit the search, for example by "date"')
    const params = new Map(request.params).set('page', [page.next])
    page = await type.search(patient, { ...request, params })
    total += page.resources.length
  }
  return buildCount(patient, page, total)
}
