/** Resources as they were imported, made to fit into this account. */
import { isObject } from '../../core/validation/is-object.js'
import type { Event } from '../../schemas/event.js'
import { toSubject, type Patient } from './patient.js'
import type { FoundCode } from './search-params.js'

/** An observation, as far as searches look at it. */
export interface Observation {
  readonly id: string
  readonly status: string
  readonly code: CodeableConcept
  readonly category?: readonly CodeableConcept[]
}

interface CodeableConcept {
  readonly coding?: readonly FoundCode[]
}

/** Type of the events that keep an imported resource. */
export const originalType = 'clinical/fhir'

const statuses = new Set([
  'registered',
  'preliminary',
  'final',
  'amended',
  'corrected',
  'cancelled',
  'entered-in-error',
  'unknown'
])
/** Maximum depth of a resource. */
const maxDepth = 50

/**
 * Returns an imported observation with the id of its event and this patient as its subject; `undefined` for other
 * resources, and for those of older versions of FHIR.
 */
export function adaptOriginal(patient: Patient, event: Event, original: object): Observation | undefined {
  const { meta: _meta, ...resource } = omitReferences(original, 0) as Record<string, unknown>
  const { category, code, resourceType, status } = resource
  const isObservation =
    resourceType === 'Observation' &&
    typeof status === 'string' &&
    statuses.has(status) &&
    isConcept(code) &&
    (category === undefined || (Array.isArray(category) && category.every(isConcept)))
  if (!isObservation) return undefined
  const meta = { lastUpdated: new Date(event.modified * 1000).toISOString() }
  return { ...resource, id: event.id, meta, subject: toSubject(patient) } as unknown as Observation
}

/** Apps write any client data: what searches look at must have the form that they expect. */
function isConcept(value: unknown): value is CodeableConcept {
  if (!isObject(value)) return false
  const { coding } = value
  return coding === undefined || (Array.isArray(coding) && coding.every(isObject))
}

/**
 * Removes relative references, which would lead to resources of this service; their texts stay. Values that
 * are nested too deeply are omitted.
 */
export function omitReferences(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return undefined
  if (Array.isArray(value)) return value.map(each => omitReferences(each, depth + 1))
  const { reference, ...rest } = value as Record<string, unknown>
  const kept = Object.fromEntries(
    Object.entries(rest).map(([key, each]) => [key, omitReferences(each, depth + 1)])
  )
  if (typeof reference !== 'string') return reference === undefined ? kept : { reference, ...kept }
  if (/^(?:#|urn:|https?:)/.test(reference)) return { reference, ...kept }
  return { ...kept, ...(kept['display'] === undefined && { display: reference }) }
}
