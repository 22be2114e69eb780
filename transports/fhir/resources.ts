/** The types of resources that are served, and how they are read and searched for. */
import type { ReadRequest } from '../endpoints.js'
import type { Bundle } from './bundle.js'
import { consentParams, readConsent, searchConsents } from './consents.js'
import { documentParams, readDocument, searchDocuments } from './documents.js'
import { observationParams, readObservation, searchObservations } from './observations.js'
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
  search(patient: Patient, request: ReadRequest): Promise<Bundle>
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
