/** The types of resources that are served, and how they are read and searched for. */
import type { ReadRequest } from '../read-endpoint.js'
import type { Bundle } from './bundle.js'
import { readObservation, searchObservations } from './observations.js'
import type { Patient } from './patient.js'
import { readPatient, searchPatients } from './patients.js'

/** A type of resources. */
export interface ResourceType {
  read(patient: Patient, id: string): Promise<object>
  search(patient: Patient, request: ReadRequest): Promise<Bundle>
}

/** The types by their names. */
export const resources: ReadonlyMap<string, ResourceType> = new Map([
  ['Patient', { read: readPatient, search: searchPatients }],
  ['Observation', { read: readObservation, search: searchObservations }]
])
