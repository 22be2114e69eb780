/** FHIR R4: Bundles, single resources and NDJSON; observations by LOINC and UCUM, the rest as it is. */
import type { Datum, Format, Sink } from '../record.js'
import { isoTime } from '../text/times.js'
import {
  at,
  byName,
  eachObject,
  isJson,
  isObject,
  listAt,
  numberAt,
  textAt,
  type Json
} from './json-files.js'
import { measureOf } from '../text/units.js'

export const fhir: Format = {
  id: 'fhir',
  name: 'FHIR',
  recognises: head => isJson(head) && /"resourceType"\s*:\s*"[A-Z]/.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new Reader(options.zone, sink)
    const isBundle = /"resourceType"\s*:\s*"Bundle"/.test(head.text)
    // A Bundle is looked into; resources by themselves, or one a line, are the objects.
    await eachObject(
      source,
      head,
      sink,
      path => (isBundle ? path.length === 1 && path[0] === 'entry' : path.length === 0),
      (object, path) => reader.read(path[0] === 'entry' ? at(object, 'resource') : object)
    )
    reader.end()
  }
}

/** Types by LOINC, where the unit alone does not tell. */
const loinc = byName<{ readonly stream: string; readonly type?: string }>({
  '29463-7': { stream: 'Weight' },
  '3141-9': { stream: 'Weight' },
  '8302-2': { stream: 'Height' },
  '39156-5': { stream: 'Body mass index' },
  '8867-4': { stream: 'Heart rate', type: 'frequency/bpm' },
  '40443-4': { stream: 'Resting heart rate', type: 'frequency/bpm' },
  '9279-1': { stream: 'Respiratory rate', type: 'frequency/brpm' },
  '8310-5': { stream: 'Body temperature' },
  '8331-1': { stream: 'Body temperature' },
  '2708-6': { stream: 'Oxygen saturation' },
  '59408-5': { stream: 'Oxygen saturation' },
  '2339-0': { stream: 'Blood glucose' },
  '2345-7': { stream: 'Blood glucose' },
  '15074-8': { stream: 'Blood glucose' },
  '41982-0': { stream: 'Body fat' },
  '55423-8': { stream: 'Steps', type: 'count/steps' },
  '41950-7': { stream: 'Steps', type: 'count/steps' }
})
/** Kinds that are records of care, with the names that events have for them. */
const clinical = byName<readonly [clinicalType: string, resourceType: string]>({
  AllergyIntolerance: ['allergyRecord', 'allergyIntolerance'],
  Immunization: ['immunizationRecord', 'immunization'],
  Condition: ['conditionRecord', 'condition'],
  Observation: ['labResultRecord', 'observation'],
  MedicationRequest: ['medicationRecord', 'medicationOrder'],
  MedicationOrder: ['medicationRecord', 'medicationOrder'],
  MedicationDispense: ['medicationRecord', 'medicationDispense'],
  MedicationStatement: ['medicationRecord', 'medicationStatement'],
  Procedure: ['procedureRecord', 'procedure']
})
/** Resources that are remembered, so that one under several providers comes once. */
const mostRemembered = 200_000

class Reader {
  readonly #seen = new Set<string>()

  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(resource: unknown): void {
    const kind = textAt(resource, 'resourceType') ?? 'entry'
    if (!isObject(resource)) this.sink.leftOut(kind, 'without a resource')
    else if (textAt(resource, 'status') === 'entered-in-error')
      this.sink.leftOut(kind, 'marked as entered in error')
    else if (this.#isKnown(kind, resource)) this.sink.leftOut(kind, 'in the file more than once')
    else if (kind === 'Observation') this.#observation(kind, resource)
    else if (clinical.has(kind)) this.#clinical(kind, resource)
    else this.sink.leftOut(kind, 'of a kind without a type here')
  }

  end(): void {
    this.#seen.clear()
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
    const pressure = pressureOf(resource)
    if (pressure) {
      this.sink.datum({
        ...common,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: pressure
      })
      return
    }
    const code = codeOf(resource)
    if (code === sleepDuration && isAsleepThroughout(resource, span.duration)) {
      this.sink.datum({ ...common, type: 'sleep/analysis', stream: 'Sleep', content: { analysis: 'asleep' } })
      return
    }
    const value = numberAt(resource, 'valueQuantity', 'value')
    const unit = textAt(resource, 'valueQuantity', 'code') ?? textAt(resource, 'valueQuantity', 'unit')
    const known = code === undefined ? undefined : loinc.get(code)
    const measure = unit === undefined ? undefined : measureOf(unit)
    const type = known?.type ?? measure?.type
    if (known && value !== undefined && type !== undefined) {
      const content = measure?.factor === undefined ? value : Number((value * measure.factor).toPrecision(12))
      this.sink.datum({ ...common, type, stream: known.stream, content })
    } else this.#clinical(kind, resource)
  }

  /** Kept as it was. */
  #clinical(kind: string, resource: Json): void {
    const [clinicalType, resourceType] = clinical.get(kind)!
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
      type: 'clinical/fhir',
      stream: `${kind}s`,
      identity: identityOf(resource),
      content: {
        displayName: displayOf(resource) || kind,
        clinicalType: isVital ? 'vitalSignRecord' : clinicalType,
        fhir: { identifier: textAt(resource, 'id') ?? '', resourceType }
      },
      clientData: { 'fhir:resource': resource }
    }
    this.sink.datum(datum)
  }
}

function codeOf(resource: unknown): string | undefined {
  const coding = listAt(resource, 'code', 'coding').find(
    each => textAt(each, 'system') === 'http://loinc.org'
  )
  return textAt(coding, 'code')
}

const sleepDuration = '93832-4'

/** Whether somebody has slept for as long as the observation lasts: else its value says more than an event of sleep could. */
function isAsleepThroughout(resource: Json, duration: number | undefined): boolean {
  const value = numberAt(resource, 'valueQuantity', 'value')
  const unit = textAt(resource, 'valueQuantity', 'code') ?? textAt(resource, 'valueQuantity', 'unit') ?? ''
  const seconds = { s: 1, min: 60, h: 3600 }[unit]
  if (duration === undefined || value === undefined || seconds === undefined) return false
  return Math.abs(value * seconds - duration) < 1
}

/** Systolic and diastolic, in whichever panel, and the heart rate if it is in there. */
function pressureOf(resource: Json): { systolic: number; diastolic: number; rate?: number } | undefined {
  const parts = listAt(resource, 'component')
  const [systolic, diastolic] = ['8480-6', '8462-4'].map(code => {
    const part = parts.find(each => codeOf(each) === code)
    const unit = textAt(part, 'valueQuantity', 'code') ?? textAt(part, 'valueQuantity', 'unit') ?? ''
    return measureOf(unit)?.type === 'pressure/mmhg' ? numberAt(part, 'valueQuantity', 'value') : undefined
  })
  if (systolic === undefined || diastolic === undefined) return undefined
  const rate = numberAt(
    parts.find(each => codeOf(each) === '8867-4'),
    'valueQuantity',
    'value'
  )
  return { systolic, diastolic, ...(rate !== undefined && { rate }) }
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
  return (textAt(coded, 'text') ?? textAt(listAt(coded, 'coding')[0], 'display') ?? '').slice(0, 500)
}
