/** Events as Observations: those with a LOINC code, and those imported from FHIR. */
import { listCodedTypes } from '../../core/exports/fhir-codes.js'
import {
  buildObservation,
  findEventCoding,
  getOriginal,
  originalType
} from '../../core/exports/fhir-observation.js'
import { findWrittenSpan } from '../../core/exports/fhir-original-time.js'
import { TimeFormatter } from '../../core/exports/time-formatter.js'
import type { Event } from '../../schemas/event.js'
import type { ReadRequest } from '../endpoints.js'
import type { Page } from './bundle.js'
import { parseDates, type Span } from './dates.js'
import { readEventPage, readParts, type EventSearch, type FoundPage, type ReadPart } from './event-pages.js'
import { readItemsById } from './items-by-id.js'
import { readMixedPage } from './mixed-pages.js'
import { adaptOriginal, type Observation } from './originals.js'
import { refuse } from './outcome.js'
import { concernsPatient, toSubject, type Patient } from './patient.js'
import { readItem } from './points.js'
import { getSearchedState, meetsTokens, readOrder, readSearch, type Search } from './search-params.js'
import { readStreamPlaces, type StreamPlaces } from './stream-places.js'
import { quoteText } from '../../core/errors.js'

const loincSystem = 'http://loinc.org'
const categorySystem = 'http://terminology.hl7.org/CodeSystem/observation-category'
const statusSystem = 'http://hl7.org/fhir/observation-status'

/** The parameters of searches, with the types of their values. */
export const observationParams = {
  _id: 'token',
  _lastUpdated: 'date',
  category: 'token',
  code: 'token',
  date: 'date',
  patient: 'reference',
  status: 'token',
  subject: 'reference'
} as const

/** Reads one observation. Refuses with 404 if the event is none. */
export async function readObservation(patient: Patient, id: string): Promise<object> {
  const event = await readItem(patient, id)
  return (
    convertEvent(patient, await readStreamPlaces(patient.calls), event) ??
    refuse('not-found', `There is no Observation ${quoteText(id)}`, 404)
  )
}

/** Searches for observations. */
export async function searchObservations(patient: Patient, request: ReadRequest): Promise<Page> {
  const search = readSearch(request, [...Object.keys(observationParams), '_sort'])
  const dates = parseDates('date', search.listValues('date'), patient.now)
  const lastUpdated = parseDates('_lastUpdated', search.listValues('_lastUpdated'), patient.now)
  const order = readOrder(search)
  const places = await readStreamPlaces(patient.calls)
  const convert = (event: Event): object | undefined => {
    const resource = convertEvent(patient, places, event)
    return resource && meetsSearch(search, resource) ? resource : undefined
  }
  const [state, types] = [getSearchedState(search), listTypes(search)]
  const found = concernsPatient(patient, search)
    ? await findPage(patient, search, { types, state, dates, lastUpdated, order, convert, findSpan })
    : { resources: [] }
  return { type: 'Observation', search, ...found }
}

/** Finds a page. Data points are only searched for by a code. */
async function findPage(patient: Patient, search: Search, events: EventSearch): Promise<FoundPage> {
  const { from, to } = events.dates
  const ids = search.listValues('_id')
  if (ids.length > 0) return await readItemsById(patient, search, events)
  const read = search.listValues('code').length > 0 ? readMixedPage : readEventPage
  if (from === undefined && to === undefined) return await read(patient, search, events)
  const readNear = (near: EventSearch | undefined): readonly ReadPart[] =>
    near ? [async part => await readEventPage(patient, part, near)] : []
  const parts = [
    ...readNear(from === undefined ? undefined : searchBefore(events, from)),
    async (part: Search) => await read(patient, part, events),
    ...readNear(to === undefined ? undefined : searchAfter(events, to))
  ]
  return await readParts(search, events.order === 'ascending' ? parts : parts.toReversed())
}

/** Seconds before and after the dates of a search in which dates without an offset are that are within it in UTC. */
const margin = 2 * 86_400

/** Returns the search for imported resources whose events end before a time although their texts do not say so. */
function searchBefore(events: EventSearch, from: number): EventSearch {
  // What lasts from one of the dates to the other, or begins between them, is in other lists.
  const end = Math.min(from, events.dates.to ?? from)
  const isBefore = ({ duration, time }: Event): boolean => duration !== null && time + (duration ?? 0) < end
  return narrow(events, { from: from - margin, to: from }, isBefore)
}

/** Returns the search for those that begin after a time. */
function searchAfter(events: EventSearch, to: number): EventSearch {
  return narrow(events, { from: to, to: to + margin }, ({ time }) => time > to)
}

function narrow(
  events: EventSearch,
  range: { readonly from: number; readonly to: number },
  isWithin: (event: Event) => boolean
): EventSearch {
  const convert = (event: Event): object | undefined =>
    isWithin(event) && findSpan(event) ? events.convert(event) : undefined
  return { ...events, types: [originalType], dates: { ...events.dates, ...range }, convert }
}

/** Returns when an imported resource is by its text, if that has no offset. */
function findSpan(event: Event): Span | undefined {
  const original = getOriginal(event)
  return original && findWrittenSpan(original, event)
}

/** Returns the observation of an event; `undefined` if it is none. */
function convertEvent(patient: Patient, places: StreamPlaces, event: Event): Observation | undefined {
  const original = getOriginal(event)
  if (original) return adaptOriginal(patient, event, original)
  const ownPlaces = places.get(event)
  if (!findEventCoding(event, ownPlaces)) return undefined
  const { code, resourceType, ...rest } = buildObservation(event, {
    places: ownPlaces,
    instants,
    subject: toSubject(patient)
  })
  const meta = { lastUpdated: instants.format(event.modified) }
  return { resourceType, ...rest, meta, code } as unknown as Observation
}

const instants = new TimeFormatter()

/** Returns the types of the events that may be found: types with such codes, and types of imported resources. */
function listTypes(search: Search): string[] {
  const types = listCodedTypes()
    .filter(
      ({ category, loinc }) =>
        meetsTokens(
          search.listTokens('code'),
          loinc.map(([code]) => ({ system: loincSystem, code }))
        ) && meetsTokens(search.listTokens('category'), [{ system: categorySystem, code: category }])
    )
    .flatMap(coded => coded.types)
  return [...new Set([...types, originalType])]
}

function meetsSearch(search: Search, { category = [], code, status }: Observation): boolean {
  const categories = category.flatMap(({ coding = [] }) => coding)
  return (
    meetsTokens(search.listTokens('code'), code.coding ?? []) &&
    meetsTokens(search.listTokens('category'), categories) &&
    meetsTokens(search.listTokens('status'), [{ system: statusSystem, code: status }])
  )
}
