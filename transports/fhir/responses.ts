/** Answers to forms as QuestionnaireResponses, and those imported from FHIR. */
import { getOriginal } from '../../core/exports/fhir-observation.js'
import { TimeFormatter } from '../../core/exports/time-formatter.js'
import { responseType } from '../../core/forms/rules.js'
import type { Event } from '../../schemas/event.js'
import type { ReadRequest } from '../endpoints.js'
import type { Page } from './bundle.js'
import { parseDates } from './dates.js'
import { readEventPage } from './event-pages.js'
import { readItemsById } from './items-by-id.js'
import { originalType } from '../../core/exports/fhir-observation.js'
import { refuse } from './outcome.js'
import { concernsPatient, toSubject, type Patient } from './patient.js'
import { isNameOfForm } from './questionnaires.js'
import { readEvent } from './read-event.js'
import { getSearchedState, meetsTokens, readOrder, readSearch, type Search } from './search-params.js'
import { quoteText } from '../../core/errors.js'

/** The parameters of searches, with the types of their values. */
export const responseParams = {
  _id: 'token',
  _lastUpdated: 'date',
  authored: 'date',
  patient: 'reference',
  questionnaire: 'reference',
  status: 'token',
  subject: 'reference'
} as const

/** A response, as far as searches look at it. */
interface Response {
  readonly id: string
  readonly status: string
  readonly questionnaire?: string
}

const statusSystem = 'http://hl7.org/fhir/questionnaire-answers-status'
const statuses = new Set(['in-progress', 'completed', 'amended', 'entered-in-error', 'stopped'])
const instants = new TimeFormatter()

/** Reads one response. Refuses with 404 if the event is none. */
export async function readResponse(patient: Patient, id: string): Promise<object> {
  return (
    convertEvent(patient, await readEvent(patient, id)) ??
    refuse('not-found', `There is no QuestionnaireResponse ${quoteText(id)}`, 404)
  )
}

/** Searches for responses. */
export async function searchResponses(patient: Patient, request: ReadRequest): Promise<Page> {
  const search = readSearch(request, [...Object.keys(responseParams), '_sort'])
  const events = {
    types: [responseType, originalType],
    state: getSearchedState(search),
    dates: parseDates('authored', search.listValues('authored'), patient.now),
    lastUpdated: parseDates('_lastUpdated', search.listValues('_lastUpdated'), patient.now),
    order: readOrder(search, 'authored'),
    convert: (event: Event) => {
      const found = convertEvent(patient, event)
      return found && meetsSearch(search, found) ? found : undefined
    }
  }
  const ids = search.listValues('_id')
  // Even for another patient, the access is checked.
  const found =
    ids.length > 0
      ? await readItemsById(patient, search, events)
      : await readEventPage(patient, search, events)
  const page = concernsPatient(patient, search) ? found : { resources: [] }
  return { type: 'QuestionnaireResponse', search, ...page }
}

/**
 * Returns the response of an event with the id and the time of the event, and this patient as its subject; `undefined`
 * if it is none of R4.
 */
function convertEvent(patient: Patient, event: Event): Response | undefined {
  const given = event.type === responseType ? event.content : getOriginal(event)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const { item, meta: _meta, resourceType, ...rest } = given as Record<string, unknown>
  const { questionnaire, status } = rest
  const isResponse =
    resourceType === 'QuestionnaireResponse' &&
    typeof status === 'string' &&
    statuses.has(status) &&
    (questionnaire === undefined || typeof questionnaire === 'string') &&
    (item === undefined || Array.isArray(item))
  if (!isResponse) return undefined
  const { authored: _authored, ...others } = rest
  const at = instants.format(event.time)
  return {
    resourceType,
    ...others,
    id: event.id,
    meta: { lastUpdated: instants.format(event.modified) },
    status: event.trashed === true ? 'entered-in-error' : status,
    subject: toSubject(patient),
    // Years of FHIR have four digits.
    ...(/^(?!0000)\d{4}-/.test(at) && { authored: at }),
    // FHIR does not allow empty lists.
    ...(item !== undefined && item.length > 0 && { item })
  } as unknown as Response
}

function meetsSearch(search: Search, { questionnaire, status }: Response): boolean {
  return (
    meetsTokens(search.listTokens('status'), [{ system: statusSystem, code: status }]) &&
    search
      .listValues('questionnaire')
      .every(values =>
        values.some(value => questionnaire !== undefined && isNameOfForm(value, questionnaire))
      )
  )
}
