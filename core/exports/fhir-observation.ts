/** One event as an Observation of FHIR R4, with LOINC and UCUM for what has a code. (docs/api/exports.md#fhir) */
import type { Event } from '../../schemas/event.js'
import { convertUnit } from '../../schemas/units.js'
import { JsonText } from '../json/json-text.js'
import { plainForm, type JsonForm } from '../json/writer.js'
import { findCoding, bloodPressureParts, type Coding, type FoundCoding } from './fhir-codes.js'
import { cutText, chunkSize } from './chunks.js'
import { toChoiceOfTime } from './fhir-time.js'
import type { Path, StreamPlace } from './stream-names.js'
import type { TimeFormatter } from './time-formatter.js'
import { getUcumUnit } from './ucum.js'

/** Type of the events that keep an imported resource, and the key of their client data at which it is. */
export const [originalType, originalKey] = ['clinical/fhir', 'fhir:resource']

/** Returns the resource as it was imported; `undefined` if the event was not imported from FHIR. */
export function getOriginal({ clientData, type }: Event): object | undefined {
  if (type !== originalType) return undefined
  const resource = clientData?.[originalKey]
  const isResource =
    typeof resource === 'object' &&
    resource !== null &&
    typeof (resource as Record<string, unknown>)['resourceType'] === 'string'
  return isResource ? resource : undefined
}

/** What an observation says besides the event itself. */
interface ObservationSurroundings {
  /** The event's streams, as far as the reader sees them: at least one. */
  readonly places: readonly StreamPlace[]
  readonly instants: TimeFormatter
  /** The subject: a Reference of FHIR. */
  readonly subject: object
}

/** Returns the coding of an event in these streams; `undefined` if there is none. */
export function findEventCoding(
  { content, type }: Pick<Event, 'content' | 'type'>,
  places: readonly StreamPlace[]
): FoundCoding | undefined {
  // Other kinds of sleep analysis have codes for whole nights only.
  return type === 'sleep/analysis' && !isAsleep(type, content) ? undefined : findCoding(type, places)
}

/** Returns the observation of an event. */
export function buildObservation(
  event: Event,
  { instants, places, subject }: ObservationSurroundings
): Record<string, unknown> {
  const { content, id, trashed, type } = event
  const found = findEventCoding(event, places)
  const { path } = found?.place ?? places[0]!
  return {
    resourceType: 'Observation',
    id,
    status: trashed === true ? 'entered-in-error' : 'final',
    ...(found && { category: [toCategory(found.code)] }),
    code: toCodeableConcept(found?.code, findText(path, found)),
    subject,
    ...toChoiceOfTime('effective', instants, event),
    ...(isAsleep(type, content) ? toSleepDuration(event) : toValue(...toVitalSignUnit(found, type, content))),
    ...toNote(event),
    ...toDevice(path, found?.at)
  }
}

function isAsleep(type: string, content: unknown): boolean {
  return type === 'sleep/analysis' && (content as { analysis?: unknown } | null)?.analysis === 'asleep'
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

/** Returns the name of the stream that identifies the measurement; that of its code if the stream is not in the path. */
function findText(path: Path, found: FoundCoding | undefined): string {
  return path[found?.at ?? path.length - 1] ?? found!.code.loinc[0]![1]
}

function toCategory({ category }: Coding): object {
  const system = 'http://terminology.hl7.org/CodeSystem/observation-category'
  return { coding: [{ system, code: category }] }
}

/** Types in whose units FHIR allows no body height and no body weight, with those in which they are written. */
const vitalSignTypes: ReadonlyMap<string, string> = new Map([
  ['length/ft', 'length/in'],
  ['length/m', 'length/cm'],
  ['mass/oz', 'mass/lb'],
  ['mass/st', 'mass/lb']
])

/** Returns a type and a content, in a unit that FHIR allows for measurements with their code. (http://hl7.org/fhir/R4/vitalsigns.html) */
function toVitalSignUnit(
  found: FoundCoding | undefined,
  type: string,
  content: unknown
): [type: string, content: unknown] {
  const allowed = found && vitalSignTypes.get(type)
  const value = allowed !== undefined && typeof content === 'number' && convertUnit(content, type, allowed)
  return typeof value === 'number' && Number.isFinite(value) ? [allowed!, value] : [type, content]
}

function toSleepDuration({ duration }: Event): object {
  if (typeof duration === 'number') return { valueQuantity: toQuantity(duration / 60, 'min') }
  return toAbsence(duration === null ? 'temp-unknown' : 'unknown')
}

/**
 * Returns the id of a point: the id of its series, and the microseconds between the time of the series and its own, with three
 * decimals unless they are 0.
 */
export function formatPointId(holderId: string, deltaTime: number): string {
  const [seconds = '', decimals = ''] = (deltaTime < 1 ? deltaTime.toFixed(9) : String(deltaTime)).split('.')
  const digits = decimals.padEnd(9, '0')
  const microseconds = `${seconds}${digits.slice(0, 6)}`.replace(/^0+(?=\d)/, '')
  const rest = digits.slice(6, 9)
  return `${holderId}.p${microseconds}${rest === '000' ? '' : `.${rest}`}`
}

/** Maximum number of characters of a text in a resource. */
const maxTextLength = 1024 * 1024

/** Returns the value of an observation, or its components for an object. Empty without a content. */
function toValue(type: string, content: unknown): object {
  if (content === undefined || content === null || content === '') return {}
  if (typeof content === 'number') return { valueQuantity: toQuantity(content, getUcumUnit(type)) }
  if (typeof content === 'boolean') return { valueBoolean: content }
  if (typeof content === 'string') return toValueString(content)
  if (typeof content !== 'object' || content instanceof JsonText) return toAbsence('unsupported')
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

/** Returns what an observation has instead of a value. */
function toAbsence(code: 'temp-unknown' | 'unknown' | 'unsupported'): object {
  return {
    dataAbsentReason: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code }]
    }
  }
}

function toValueString(text: string): object {
  return text.length > maxTextLength ? toAbsence('unsupported') : { valueString: cleanText(text) }
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

/** Returns text without characters that FHIR forbids; never empty. Long texts are left to the writer of the format. */
function cleanText(text: string): string {
  const kept = text.length > chunkSize ? text : replaceInvalidCharacters(text)
  return kept.trim() === '' ? '\ufffd' : kept
}

/** Replaces characters that FHIR forbids. */
export function replaceInvalidCharacters(text: string): string {
  return text.toWellFormed().replace(invalidCharacters, '\ufffd')
}

/** Cleans all texts: also long ones, which {@link buildObservation} leaves as they are, and those of imported resources. */
export const cleanForm: JsonForm = {
  ...plainForm,
  text: value => cleanJson(plainForm.text(value)),
  members: (object, keys) => cleanJson(plainForm.members(object, keys))
}

/** Replaces characters that FHIR forbids in the texts of JSON, where they are always escaped. */
function cleanJson(json: string): string {
  if (!json.includes('\\')) return json
  // Each escape is matched, so that a backslash that is escaped itself begins none.
  return json.replace(/\\(?:u[\da-f]{4}|.)/g, escape => (invalidEscape.test(escape) ? '\ufffd' : escape))
}

/** Control characters but tabs and ends of lines, and halves of surrogate pairs, which are escaped only if they are alone. */
const invalidEscape = /^\\(?:[bf]|u(?:00[01]|d[89a-f]))/
