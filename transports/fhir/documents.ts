/** Events with a file as DocumentReferences. The files themselves are read at the address of the event. */
import { TimeFormatter } from '../../core/exports/time-formatter.js'
import { replaceInvalidCharacters } from '../../core/exports/fhir-observation.js'
import { documentTypes } from '../../core/exports/fhir-streams.js'
import type { Event } from '../../schemas/event.js'
import type { ReadRequest } from '../endpoints.js'
import type { Page } from './bundle.js'
import { parseDates } from './dates.js'
import { readEventPage } from './event-pages.js'
import { readItemsById } from './items-by-id.js'
import { refuse } from './outcome.js'
import { concernsPatient, toSubject, type Patient } from './patient.js'
import { readEvent } from './read-event.js'
import { getSearchedState, meetsTokens, readOrder, readSearch } from './search-params.js'
import { quoteText } from '../../core/errors.js'

/** The parameters of searches, with the types of their values. */
export const documentParams = {
  _id: 'token',
  _lastUpdated: 'date',
  date: 'date',
  patient: 'reference',
  status: 'token',
  subject: 'reference'
} as const

const statusSystem = 'http://hl7.org/fhir/document-reference-status'
const instants = new TimeFormatter()

/** Reads one document. Refuses with 404 if the event has no file. */
export async function readDocument(patient: Patient, id: string): Promise<object> {
  return (
    convertEvent(patient, await readEvent(patient, id)) ??
    refuse('not-found', `There is no DocumentReference ${quoteText(id)}`, 404)
  )
}

/** Searches for documents. */
export async function searchDocuments(patient: Patient, request: ReadRequest): Promise<Page> {
  const search = readSearch(request, [...Object.keys(documentParams), '_sort'])
  const events = {
    types: documentTypes,
    state: getSearchedState(search),
    dates: parseDates('date', search.listValues('date'), patient.now),
    lastUpdated: parseDates('_lastUpdated', search.listValues('_lastUpdated'), patient.now),
    order: readOrder(search),
    convert: (event: Event) => {
      const found = convertEvent(patient, event)
      const status = [{ system: statusSystem, code: found?.status }]
      return found && meetsTokens(search.listTokens('status'), status) ? found : undefined
    }
  }
  const ids = search.listValues('_id')
  // Even for another patient, the access is checked.
  const found =
    ids.length > 0
      ? await readItemsById(patient, search, events)
      : await readEventPage(patient, search, events)
  const page = concernsPatient(patient, search) ? found : { resources: [] }
  return { type: 'DocumentReference', search, ...page }
}

/** Returns the document of an event; `undefined` if it has no file. */
function convertEvent(patient: Patient, event: Event): { readonly status: string } | undefined {
  const { attachments = [], description = '', id, modified, time, trashed } = event
  if (!documentTypes.includes(event.type) || attachments.length === 0) return undefined
  const at = instants.format(time)
  const root = patient.baseUrl.slice(0, -'fhir/'.length)
  const text = replaceInvalidCharacters(description).trim()
  const document = {
    resourceType: 'DocumentReference',
    id,
    meta: { lastUpdated: instants.format(modified) },
    status: trashed === true ? 'entered-in-error' : 'current',
    subject: toSubject(patient),
    ...(isFhirTime(at) && { date: at }),
    ...(text !== '' && { description: text }),
    content: attachments.map(file => ({
      attachment: {
        contentType: file.type,
        url: `${root}events/${encodeURIComponent(id)}/${encodeURIComponent(file.id)}`,
        ...(file.size < 2 ** 31 && { size: file.size }),
        title: replaceInvalidCharacters(file.fileName).trim() || file.id,
        ...(isFhirTime(at) && { creation: at })
      }
    }))
  }
  return document
}

/** Returns whether a time can be written: years of FHIR have four digits. */
function isFhirTime(text: string): boolean {
  return /^(?!0000)\d{4}-/.test(text)
}
