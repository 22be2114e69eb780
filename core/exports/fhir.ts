/** Events as observations of FHIR R4, with LOINC and UCUM for what has a code. (docs/api/exports.md#fhir) */
import { createHash } from 'node:crypto'
import type { Event } from '../../schemas/event.js'
import { isSeries } from '../events/fields.js'
import { JsonText } from '../json/json-text.js'
import { getElementType } from '../series/column-plan.js'
import { findCoding, bloodPressureParts, sleepCoding, type Coding } from './fhir-codes.js'
import { roundToMicroseconds, getPath, type ExportFormat, type ExportSources } from './format.js'
import { plainForm, writeJson, type JsonForm } from '../json/writer.js'
import { cutText, chunkSize, type Chunks } from './chunks.js'
import { parseEvent, listPoints } from './event-source.js'
import type { Path } from './stream-names.js'
import { getUcumUnit } from './ucum.js'
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
  readonly value: object
  /** How it is written in chunks, if it is large. */
  readonly form: JsonForm | undefined
}

/** Cleans long texts, which {@link cleanText} leaves as they are, chunk by chunk. */
const cleanForm = {
  ...plainForm,
  text: (value: unknown) =>
    JSON.stringify(typeof value === 'string' ? replaceInvalidCharacters(value) : value)
}

function* writeResource(value: object, form: JsonForm, before: string, after: string): Chunks {
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
    const event = parseEvent(text)
    if (isSeries(event.type)) {
      if (sources.options.series === true) yield* listPointResources(sources, event)
    } else {
      const original = getOriginal(event)
      const value = original ?? toObservation(sources, event)
      const form = original ? plainForm : cleanForm
      yield { id: event.id, value, form: text.length > chunkSize ? form : undefined }
    }
  }
}

/** Characters of a page of points above which its rows hold long texts. */
const largePageSize = 256 * 1024

/** Yields each point below a holder as a separate observation. */
function* listPointResources(
  sources: ExportSources,
  holder: Event
): Generator<Resource | undefined, void, undefined> {
  const type = getElementType(holder.type)
  const fields = sources.values.listFields(type)
  const isOwn = fields.length === 1 && fields[0] === 'value'
  let number = 0
  for (const { columns, rows, text } of listPoints(sources.context, holder, sources.options)) {
    const form = text.length > largePageSize ? cleanForm : undefined
    for (const row of rows) {
      const content = isOwn
        ? row[columns.indexOf('value')]
        : Object.fromEntries(fields.map(field => [field, row[columns.indexOf(field)] ?? undefined]))
      const id = `${holder.id}-${++number}`
      const { attachments: _files, content: _own, description: _text, duration: _length, ...rest } = holder
      const duration = getDuration(columns, row, fields) as number | undefined
      const time = roundToMicroseconds(holder.time + (row[0] as number))
      const point: Event = { ...rest, id, type, time, content, ...(duration !== undefined && { duration }) }
      yield { id, value: toObservation(sources, point), form }
    }
    yield undefined
  }
}

/** Returns the resource as it was imported; `undefined` if the event was not imported from FHIR. */
function getOriginal({ clientData, type }: Event): object | undefined {
  if (type !== 'clinical/fhir') return undefined
  const resource = clientData?.['fhir:resource']
  const isResource =
    typeof resource === 'object' &&
    resource !== null &&
    typeof (resource as Record<string, unknown>)['resourceType'] === 'string'
  return isResource ? resource : undefined
}

function toObservation(sources: ExportSources, event: Event): object {
  const { content, id, trashed, type } = event
  const path = getPath(sources, event)
  const isAsleep =
    type === 'sleep/analysis' && (content as { analysis?: unknown } | null)?.analysis === 'asleep'
  const found = isAsleep ? { code: sleepCoding, at: path.length - 1 } : findCoding(type, path)
  return {
    resourceType: 'Observation',
    id,
    status: trashed === true ? 'entered-in-error' : 'final',
    ...(found && { category: [toCategory(found.code)] }),
    code: toCodeableConcept(found?.code, path[found?.at ?? path.length - 1]!),
    subject: { display: sources.call.account.username },
    ...toEffectiveTime(sources, event),
    ...(isAsleep ? toSleepDuration(event) : toValue(type, content)),
    ...toNote(event),
    ...toDevice(path, found?.at)
  }
}

/** Returns the device: the streams below the one that identifies the measurement name it. */
function toDevice(path: Path, at: number | undefined): object {
  const below = at === undefined ? [] : path.slice(at + 1)
  return below.length === 0 ? {} : { device: { display: cleanText(below.join(' / ')) } }
}

function toCodeableConcept(code: Coding | undefined, text: string): object {
  const coding = code?.loinc.map(([one, display]) => ({ system: 'http://loinc.org', code: one, display }))
  return { ...(coding && { coding }), text: cleanText(text) }
}

function toCategory({ category }: Coding): object {
  const system = 'http://terminology.hl7.org/CodeSystem/observation-category'
  return { coding: [{ system, code: category }] }
}

/** Returns the effective time. FHIR dates have four-digit years. */
function toEffectiveTime({ instants }: ExportSources, { duration, time }: Event): object {
  const [start, end] = [time, time + (duration ?? 0)].map(each => instants.format(each)) as [string, string]
  if (!fourDigitYear.test(start)) return {}
  if (duration === undefined || duration === 0) return { effectiveDateTime: start }
  return { effectivePeriod: { start, ...(duration !== null && fourDigitYear.test(end) && { end }) } }
}

const fourDigitYear = /^(?!0000)\d{4}-/

function toSleepDuration({ duration }: Event): object {
  return typeof duration === 'number' ? { valueQuantity: toQuantity(duration / 60, 'min') } : {}
}

/** Maximum characters of a text in a resource. */
const maxTextLength = 1024 * 1024

function toValue(type: string, content: unknown): object {
  if (content === undefined || content === null || content === '') return {}
  if (typeof content === 'number') return { valueQuantity: toQuantity(content, getUcumUnit(type)) }
  if (typeof content === 'boolean') return { valueBoolean: content }
  if (typeof content === 'string') return toValueString(content)
  if (typeof content !== 'object' || content instanceof JsonText) return tooLarge
  if (Array.isArray(content)) return toValueString(JSON.stringify(content))
  const component = Object.entries(content).flatMap(([field, value]) =>
    value === null || value === undefined || value === ''
      ? []
      : { code: toComponentCode(type, field), ...toFieldValue(type, field, value) }
  )
  return component.length === 0 ? {} : { component }
}

function toFieldValue(type: string, field: string, value: unknown): object {
  if (typeof value === 'number') return { valueQuantity: toQuantity(value, getUcumUnit(type, field)) }
  if (typeof value === 'boolean') return { valueBoolean: value }
  return toValueString(typeof value === 'string' ? value : JSON.stringify(value))
}

function toComponentCode(type: string, field: string): object {
  const part =
    type === 'blood-pressure/mmhg-bpm' &&
    Object.hasOwn(bloodPressureParts, field) &&
    bloodPressureParts[field]
  if (!part) return { text: cleanText(field) }
  return { coding: [{ system: 'http://loinc.org', code: part[0], display: part[1] }] }
}

const tooLarge = {
  dataAbsentReason: {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unsupported' }]
  }
}

function toValueString(text: string): object {
  return text.length > maxTextLength ? tooLarge : { valueString: cleanText(text) }
}

function toQuantity(value: number, unit: string): object {
  return unit === '' ? { value } : { value, unit, system: 'http://unitsofmeasure.org', code: unit }
}

function toNote({ attachments = [], description = '' }: Event): object {
  const files = attachments.map(({ fileName }) => fileName).join(', ')
  const texts = [description, files].flatMap(text =>
    text.trim() === '' ? [] : [...cutText(text, maxTextLength)]
  )
  return texts.length === 0 ? {} : { note: texts.map(text => ({ text: cleanText(text) })) }
}

// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const invalidCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g

/** Returns text without characters that FHIR forbids; never empty. Long texts are left to {@link cleanForm}. */
function cleanText(text: string): string {
  const kept = text.length > chunkSize ? text : replaceInvalidCharacters(text)
  return kept.trim() === '' ? '\ufffd' : kept
}

function replaceInvalidCharacters(text: string): string {
  return text.toWellFormed().replace(invalidCharacters, '\ufffd')
}

/** Derives a UUID from an id, always the same. */
function toUuid(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
