/** Resources as they were imported, made to fit into this account. */
import { getOriginal, originalKey, originalType } from '../../core/exports/fhir-observation.js'
import { adaptTimes } from '../../core/exports/fhir-original-time.js'
import { TimeFormatter } from '../../core/exports/time-formatter.js'
import { responseType } from '../../core/forms/rules.js'
import { setMember } from '../../core/json/json-text.js'
import { isObject } from '../../core/validation/is-object.js'
import type { Event } from '../../schemas/event.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
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
const instants = new TimeFormatter()
/** Maximum depth of a resource. */
const maxDepth = 50
/** Number of objects and lists that one step copies. */
const copiedPerStep = 2000

/**
 * Returns an imported observation with the id and the time of its event and this patient as its subject; `undefined` for other
 * resources, and for those of older versions of FHIR.
 */
export function adaptOriginal(patient: Patient, event: Event, original: object): Observation | undefined {
  const { meta: _meta, ...resource } = original as Record<string, unknown>
  const { category, code, resourceType, status } = resource
  const isObservation =
    resourceType === 'Observation' &&
    typeof status === 'string' &&
    statuses.has(status) &&
    isConcept(code) &&
    (category === undefined || (Array.isArray(category) && category.every(isConcept)))
  if (!isObservation) return undefined
  const meta = { lastUpdated: new Date(event.modified * 1000).toISOString() }
  const entered = event.trashed === true && { status: 'entered-in-error' }
  return {
    ...adaptTimes(resource, event, instants),
    ...entered,
    id: event.id,
    meta,
    subject: toSubject(patient)
  } as unknown as Observation
}

/** Apps write any client data: what searches look at must have the form that they expect. */
function isConcept(value: unknown): value is CodeableConcept {
  if (!isObject(value)) return false
  const { coding } = value
  return coding === undefined || (Array.isArray(coding) && coding.every(isObject))
}

/**
 * Returns events without the relative references in the resources that they hold, which would lead to resources of this service;
 * the texts of the references stay. Others have their turn meanwhile: resources may be large.
 */
export async function omitReferencesIn(events: readonly Event[]): Promise<readonly Event[]> {
  if (!events.some(({ type }) => type === originalType || type === responseType)) return events
  return await runInTurns(copyEvents(events))
}

/** Returns copies of events whose original resources and answers of forms have no relative references, in steps. */
function* copyEvents(events: readonly Event[]): Steps<Event[]> {
  const copies: Event[] = []
  const omit = createCopier()
  for (const event of events) {
    const original = getOriginal(event)
    if (original) {
      const resource = yield* omit(original, 0)
      copies.push({ ...event, clientData: { ...event.clientData, [originalKey]: resource } })
    } else
      copies.push(event.type === responseType ? { ...event, content: yield* omit(event.content, 0) } : event)
    yield
  }
  return copies
}

/** Returns a function that copies a value without relative references. */
function createCopier(): (value: unknown, depth: number) => Steps<unknown> {
  let copied = 0
  return function* copy(value, depth): Steps<unknown> {
    if (typeof value !== 'object' || value === null) return value
    if (depth > maxDepth) return undefined
    if (++copied % copiedPerStep === 0) yield
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value as unknown[]) items.push(yield* copy(item, depth + 1))
      return items
    }
    const { reference, ...rest } = value as Record<string, unknown>
    const kept: Record<string, unknown> = {}
    for (const [key, each] of Object.entries(rest)) setMember(kept, key, yield* copy(each, depth + 1))
    if (typeof reference !== 'string') return reference === undefined ? kept : { reference, ...kept }
    if (/^(?:#|urn:|https?:)/.test(reference)) return { reference, ...kept }
    return { ...kept, ...(kept['display'] === undefined && { display: reference }) }
  }
}
