/** FHIR R4: Bundles, single resources and NDJSON; observations by LOINC and UCUM, the rest as it is. */
import type { Datum, Format, Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { at, eachObject, isJson, isObject, listAt, textAt, type Json } from '../json-files.js'
import { careRecord, isCareRecord } from './care.js'
import { measurementIn } from './observations.js'

export const fhir: Format = {
  id: 'fhir',
  name: 'FHIR',
  recognises: head => isJson(head) && /"resourceType"\s*:\s*"[A-Z]/.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new FhirReader(options.zone, sink)
    const isBundle = /"resourceType"\s*:\s*"Bundle"/.test(head.text)
    // A Bundle is looked into; resources by themselves, or one a line, are the objects.
    await eachObject(
      source,
      head,
      sink,
      path => (isBundle ? path.length === 1 && path[0] === 'entry' : path.length === 0),
      (object, path) => reader.read(path[0] === 'entry' ? at(object, 'resource') : object)
    )
  }
}

/** Statuses of what has no result yet, did not take place, or is known not to be so. */
const unfinished = new Set([
  'cancelled',
  'registered',
  'not-done',
  'not-taken',
  'draft',
  'preparation',
  'refuted'
])
/** Resources that are remembered, so that one under several providers comes once. */
const mostRemembered = 200_000

/** Reads resources one by one. */
export class FhirReader {
  readonly #seen = new Set<string>()

  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(resource: unknown): void {
    const kind = textAt(resource, 'resourceType') ?? 'entry'
    const statuses = isObject(resource) ? statusesOf(resource) : []
    if (!isObject(resource)) this.sink.leftOut(kind, 'without a resource')
    else if (statuses.includes('entered-in-error')) this.sink.leftOut(kind, 'marked as entered in error')
    else if (statuses.some(each => unfinished.has(each)))
      this.sink.leftOut(kind, 'cancelled, not carried out or ruled out')
    else if (this.#isKnown(kind, resource)) this.sink.leftOut(kind, 'in the file more than once')
    else if (kind === 'Observation') this.#observation(kind, resource)
    else if (isCareRecord(kind)) this.#clinical(kind, resource)
    else this.sink.leftOut(kind, 'of a kind without a type here')
  }

  #isKnown(kind: string, resource: Json): boolean {
    const id = textAt(resource, 'id')
    if (id === undefined) return false
    const key = `${kind}/${id}/${textAt(resource, 'meta', 'versionId') ?? ''}`
    if (this.#seen.has(key)) return true
    if (this.#seen.size < mostRemembered) this.#seen.add(key)
    return false
  }

  #observation(kind: string, resource: Json): void {
    const span = spanOf(resource, this.zone)
    if (Number.isNaN(span.time)) {
      this.sink.leftOut(kind, 'without a time')
      return
    }
    const common = { kind, source: sourceOf(resource), ...span, identity: identityOf(resource) }
    const measurement = measurementIn(resource, span.duration)
    if (measurement) this.sink.datum({ ...common, ...measurement })
    else this.#clinical(kind, resource)
  }

  /** Kept as it was. */
  #clinical(kind: string, resource: Json): void {
    const span = spanOf(resource, this.zone)
    if (Number.isNaN(span.time)) {
      this.sink.leftOut(kind, 'without a time')
      return
    }
    const isVital = listAt(resource, 'category').some(each => JSON.stringify(each).includes('vital-signs'))
    const datum: Datum = {
      kind,
      source: sourceOf(resource),
      ...span,
      identity: identityOf(resource),
      ...careRecord(kind, { name: displayOf(resource), identifier: textAt(resource, 'id') ?? '', isVital }),
      clientData: { 'fhir:resource': resource }
    }
    this.sink.datum(datum)
  }
}

/** Returns the status of a resource, and whether what it says has been verified: a code, or in older versions a text. */
function statusesOf(resource: Json): string[] {
  const verified = listAt(resource, 'verificationStatus', 'coding').map(each => textAt(each, 'code'))
  const isWithheld = at(resource, 'notGiven') === true || at(resource, 'wasNotTaken') === true
  return [
    textAt(resource, 'status'),
    textAt(resource, 'verificationStatus'),
    ...verified,
    ...(isWithheld ? ['not-done'] : [])
  ].filter(each => each !== undefined)
}

const timeNames = [
  'effectiveDateTime',
  'effectiveInstant',
  'onsetDateTime',
  'performedDateTime',
  'occurrenceDateTime',
  'authoredOn',
  'whenHandedOver',
  'dateAsserted',
  'issued',
  'recordedDate',
  'assertedDate'
]
const periodNames = ['effectivePeriod', 'performedPeriod', 'onsetPeriod']

function spanOf(resource: Json, zone: string | undefined): { time: number; duration?: number } {
  for (const name of periodNames) {
    const time = partialTime(textAt(resource, name, 'start'), zone)
    const end = partialTime(textAt(resource, name, 'end'), zone)
    if (!Number.isNaN(time)) return end > time ? { time, duration: end - time } : { time }
  }
  for (const name of timeNames) {
    const time = partialTime(textAt(resource, name), zone)
    if (!Number.isNaN(time)) return { time }
  }
  return { time: NaN }
}

/** Dates may be years or months alone. */
function partialTime(text: string | undefined, zone: string | undefined): number {
  if (text === undefined) return NaN
  if (/^\d{4}$/.test(text)) return isoTime(`${text}-01-01`, zone)
  if (/^\d{4}-\d\d$/.test(text)) return isoTime(`${text}-01`, zone)
  return isoTime(text, zone)
}

function sourceOf(resource: Json): string {
  return textAt(resource, 'device', 'display') ?? textAt(listAt(resource, 'performer')[0], 'display') ?? ''
}

function identityOf(resource: Json): string {
  return textAt(resource, 'id') ?? JSON.stringify(resource)
}

function displayOf(resource: Json): string {
  const coded =
    at(resource, 'code') ?? at(resource, 'vaccineCode') ?? at(resource, 'medicationCodeableConcept')
  return textAt(coded, 'text') ?? textAt(listAt(coded, 'coding')[0], 'display') ?? ''
}
