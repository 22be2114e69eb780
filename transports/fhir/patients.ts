/** The resource of the user, and searches for it. */
import type { ReadRequest } from '../endpoints.js'
import type { Page } from './bundle.js'
import { refuse } from './outcome.js'
import type { Patient } from './patient.js'
import { readSearch } from './search-params.js'

/** The parameters of searches, with the types of their values. */
export const patientParams = { _id: 'token' } as const

/** Reads the patient. Refuses with 404 for another id. */
export async function readPatient(patient: Patient, id: string): Promise<object> {
  const resource = await buildPatient(patient)
  return id === patient.id ? resource : refuse('not-found', 'There is no such patient', 404)
}

/** Searches for the patient. */
export async function searchPatients(patient: Patient, request: ReadRequest): Promise<Page> {
  const search = readSearch(request, Object.keys(patientParams))
  const resource = await buildPatient(patient)
  const isFound = search.listValues('_id').every(values => values.includes(patient.id))
  return { type: 'Patient', search, resources: isFound ? [resource] : [] }
}

async function buildPatient({ calls, id }: Patient): Promise<object> {
  const { user } = await calls.call<{ user: { username: string } }>('getAccessInfo', {})
  return { resourceType: 'Patient', id, active: true, name: [{ text: user.username }] }
}
