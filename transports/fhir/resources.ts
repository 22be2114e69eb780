/** The types of resources that are served, and how they are read and searched for. */
import type { ReadRequest } from '../read-endpoint.js'
import type { Bundle } from './bundle.js'
import { consentParams, readConsent, searchConsents } from './consents.js'
import { documentParams, readDocument, searchDocuments } from './documents.js'
import { observationParams, readObservation, searchObservations } from './observations.js'
import type { Patient } from './patient.js'
import { patientParams, readPatient, searchPatients } from './patients.js'

/** A type of resources. */
export interface ResourceType {
  /** The parameters of searches, with the types of their values. */
  readonly params: Readonly<Record<string, 'date' | 'reference' | 'token'>>
  read(patient: Patient, id: string): Promise<object>
  search(patient: Patient, request: ReadRequest): Promise<Bundle>
}

/** The types by their names. */
export const resources: ReadonlyMap<string, ResourceType> = new Map<string, ResourceType>([
  ['Consent', { params: consentParams, read: readConsent, search: searchConsents }],
  ['DocumentReference', { params: documentParams, read: readDocument, search: searchDocuments }],
  ['Observation', { params: observationParams, read: readObservation, search: searchObservations }],
  ['Patient', { params: patientParams, read: readPatient, search: searchPatients }]
])
