/** Events as observations of FHIR R4, with LOINC and UCUM for what has a code. (docs/api/exports.md#fhir) */
import { createHash } from 'node:crypto'
import type { Event } from '../../schemas/event.js'
import { isInTrash } from '../events/event-permissions.js'
import { isSeries } from '../events/fields.js'
import { getElementType } from '../series/column-plan.js'
import { getRootOfCopy, isFollowedId } from '../system-ids.js'
import { roundToMicroseconds } from '../time.js'
import {
  buildObservation,
  cleanForm,
  formatPointId,
  getOriginal,
  originalKey,
  originalType
} from './fhir-observation.js'
import { adaptTimes, adaptTimesInText } from './fhir-original-time.js'
import { includesTrash, type ExportFormat, type ExportSources } from './format.js'
import { JsonText } from '../json/json-text.js'
import { findMember, type TextRange } from '../json/reader.js'
import { plainForm, writeJson, type JsonForm } from '../json/writer.js'
import { chunkSize, cutText, type Chunks } from './chunks.js'
import { largeEventSize, listPoints, parseEvent } from './event-source.js'
import { getDuration } from './value-reader.js'

const commonFormat = { supportsAudit: false, supportsSeries: true } as const

/** A Bundle, a resource a line within. */
export const fhir: ExportFormat = {
  ...commonFormat,
  mediaType: 'application/fhir+json; charset=utf-8',
  extension: 'fhir.json',
  *write(sources: ExportSources): Chunks {
    const { call, instants } = sources
    let separator = `{"resourceType":"Bundle","type":"collection","timestamp":"${instants.format(call.now)}"`
    const first = separator
    separator += ',"entry":[\n'
    for (const resource of listResources(sources)) {
      if (!resource) {
        yield ''
        continue
      }
      const before = `${separator}{"fullUrl":"urn:uuid:${toUuid(resource.id)}","resource":`
      if (resource.form) yield* writeResource(resource.value, resource.form, before, '}')
      else yield `${before}${JSON.stringify(resource.value)}}`
      separator = ',\n'
    }
    // FHIR does not allow empty lists.
    yield separator.startsWith(first) ? `${first}}\n` : '\n]}\n'
  }
}

/** A resource a line. */
export const fhirNdjson: ExportFormat = {
  ...commonFormat,
  mediaType: 'application/fhir+ndjson; charset=utf-8',
  extension: 'fhir.ndjson',
  *write(sources: ExportSources): Chunks {
    for (const resource of listResources(sources))
      if (!resource) yield ''
      else if (resource.form) yield* writeResource(resource.value, resource.form, '', '\n')
      else yield `${JSON.stringify(resource.value)}\n`
  }
}

interface Resource {
  readonly id: string
  /** An imported resource that is large is never parsed. */
  readonly value: object | JsonText
  /** How the observation is written in chunks, if it is large. */
  readonly form: JsonForm | undefined
}

/** Writes a resource between two texts, in chunks. */
function* writeResource(value: object | JsonText, form: JsonForm, before: string, after: string): Chunks {
  if (value instanceof JsonText) {
    yield before
    yield* cutText(value.text)
    yield after
    return
  }
  let written = before
  const steps = writeJson(value, form, chunk => (written += chunk))
  while (!steps.next().done) {
    yield written
    written = ''
  }
  yield written + after
}

/** Yields the resources, and `undefined` to let other work run. */
function* listResources(sources: ExportSources): Generator<Resource | undefined, void, undefined> {
  for (const text of sources.texts()) {
    if (text === '') {
      yield undefined
      continue
    }
    const event = markTrashed(sources, parseEvent(text))
    if (isSeries(event.type)) {
      if (sources.options.series === true) yield* listPointResources(sources, event)
    } else {
      const kept = findOriginal(sources, event, text)
      const original = kept && event.trashed === true ? markAsError(kept) : kept
      const value = original ?? toObservation(sources, event)
      const form = original ? plainForm : cleanForm
      yield { id: event.id, value, form: text.length > chunkSize ? form : undefined }
    }
  }
}

/** Returns an event, as trashed if its streams are: no search for resources finds it. */
function markTrashed({ context, options }: ExportSources, event: Event): Event {
  return includesTrash(options) && isInTrash(context.reader, event) ? { ...event, trashed: true } : event
}

/** Returns the imported resource of an event, with the time of the event; `undefined` if there is none. */
function findOriginal(
  { instants }: ExportSources,
  event: Event,
  text: string
): object | JsonText | undefined {
  const original = getOriginal(event)
  if (original) return adaptTimes(original, event, instants)
  const large = findLargeOriginal(event, text)
  return large && adaptTimesInText(large, event, instants)
}

/** Returns an imported resource that is too large to be parsed with its event; `undefined` if there is none. */
function findLargeOriginal({ type }: Event, text: string): JsonText | undefined {
  if (type !== originalType || text.length <= largeEventSize) return undefined
  const clientData = getMember(text, 'clientData')
  const resource = clientData?.startsWith('{') ? getMember(clientData, originalKey) : undefined
  const isResource = resource?.startsWith('{') && getMember(resource, 'resourceType')?.startsWith('"')
  return isResource ? new JsonText(resource!) : undefined
}

const errorStatus = 'entered-in-error'
/** Systems of the codes that tell whether a resource without a status is an error. */
const verificationSystems: ReadonlyMap<unknown, string> = new Map(
  [
    ['AllergyIntolerance', 'allergyintolerance-verification'],
    ['Condition', 'condition-ver-status']
  ].map(([type, name]) => [type, `http://terminology.hl7.org/CodeSystem/${name}`])
)

/** Returns an imported resource with the status of an error, if it has a status. A large one is not parsed. */
function markAsError(resource: object): object {
  if (resource instanceof JsonText) {
    const place = findMember(resource.text, 'status')
    return place ? new JsonText(replaceRange(resource.text, place, JSON.stringify(errorStatus))) : resource
  }
  const { clinicalStatus: _status, ...rest } = resource as Record<string, unknown>
  if (typeof rest['status'] === 'string') return { ...resource, status: errorStatus }
  const system = verificationSystems.get(rest['resourceType'])
  return system === undefined
    ? resource
    : { ...rest, verificationStatus: { coding: [{ system, code: errorStatus }] } }
}

function replaceRange(text: string, { from, to }: TextRange, by: string): string {
  return `${text.slice(0, from)}${by}${text.slice(to)}`
}

function getMember(text: string, name: string): string | undefined {
  const place = findMember(text, name)
  return place && text.slice(place.from, place.to)
}

/** A page of points with more characters than this has rows with long texts. */
const largePageSize = 256 * 1024

/** Yields each point below a holder as a separate observation. */
function* listPointResources(
  sources: ExportSources,
  holder: Event
): Generator<Resource | undefined, void, undefined> {
  const type = getElementType(holder.type)
  const fields = sources.values.listFields(type)
  const isOwn = fields.length === 1 && fields[0] === 'value'
  for (const { columns, rows, text } of listPoints(sources.context, holder, sources.options)) {
    const form = text.length > largePageSize ? cleanForm : undefined
    for (const row of rows) {
      const content = isOwn
        ? row[columns.indexOf('value')]
        : Object.fromEntries(fields.map(field => [field, row[columns.indexOf(field)] ?? undefined]))
      const id = formatPointId(holder.id, row[0] as number)
      const { attachments: _files, content: _own, description: _text, duration: _length, ...rest } = holder
      const duration = getDuration(columns, row, fields) as number | undefined
      const time = roundToMicroseconds(holder.time + (row[0] as number))
      const point: Event = { ...rest, id, type, time, content, ...(duration !== undefined && { duration }) }
      yield { id, value: toObservation(sources, point), form }
    }
    yield undefined
  }
}

function toObservation(sources: ExportSources, event: Event): object {
  const { call, context, instants, names } = sources
  const places = names.places(context.reader, event)
  const subject = { display: findPerson(sources, event) ?? call.account.username }
  return buildObservation(event, { places, instants, subject })
}

/** Returns the name of the user whom an event in a copy is about, after whom the copy is named; `undefined` for other events. */
function findPerson({ context }: ExportSources, { streamIds }: Event): string | undefined {
  const copied = streamIds.find(isFollowedId)
  if (copied === undefined) return undefined
  const root = getRootOfCopy(copied)
  return context.reader.store.streams.find(root)?.stream.name ?? root
}

/** Derives a UUID from an id, always the same. */
function toUuid(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
