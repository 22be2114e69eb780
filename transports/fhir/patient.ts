/** The patient: the user to whom the account belongs. */
import { isFollowedId } from '../../core/system-ids.js'
import type { Event } from '../../schemas/event.js'
import type { UserCalls } from '../user-calls.js'
import type { Search } from './search-params.js'

/** Whose data a request is about. */
export interface Patient {
  readonly id: string
  /** The root of the resources, with a slash at its end. */
  readonly baseUrl: string
  /** Seconds. */
  readonly now: number
  readonly calls: UserCalls
}

/** Returns whether a search is about this patient, or about any. */
export function concernsPatient({ id }: Patient, search: Search): boolean {
  const names = new Set([id, `Patient/${id}`])
  return ['patient', 'subject'].every(name =>
    search.listValues(name).every(values => values.some(value => names.has(omitBaseUrl(value))))
  )
}

/**
 * Returns a URL of a resource without its base URL: an account has one by its host and one by its path, and keeps the data under a
 * new name. Ids are unique. Other texts are returned as they are.
 */
export function omitBaseUrl(reference: string): string {
  return reference.replace(/^https?:\/\/[^?#]*\/fhir\/(?=[A-Za-z]+\/[^/?#]+$)/, '')
}

/** Returns a reference to the patient. */
export function toSubject({ id }: Patient): object {
  return { reference: `Patient/${id}` }
}

/** Returns whether an event is about the patient: what is in a copy of another account's streams is about that user. */
export function isOfPatient({ streamIds }: Pick<Event, 'streamIds'>): boolean {
  return !streamIds.some(isFollowedId)
}
