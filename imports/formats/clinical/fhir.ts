/** Reads FHIR R4 (bundles, single resources and NDJSON): observations by LOINC and UCUM, other records as they are. */
import { silentSink, type ImportedRecord, type Format, type Sink } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import { getMember, readObjects, isJson, isObject, getList, getText, type Json } from '../json-files.js'
import { buildClinicalEvent, isClinicalKind } from './clinical-event.js'
import { timeMembers } from './fhir-times.js'
import { findMeasurement, listFurther } from './observations.js'
import { getRecordVersion, ResourceVersions } from './resource-versions.js'

export const fhir: Format = {
  id: 'fhir',
  name: 'FHIR',
  recognises: head => isJson(head) && /"resourceType"\s*:\s*"[A-Z]/.test(head.text),
  async read(source, head, sink, { options }) {
    const isBundle = /"resourceType"\s*:\s*"Bundle"/.test(head.text)
    // The objects are the entries of a bundle, or single resources, one per file or line.
    const readResources = (to: Pick<Sink, 'skip' | 'warn'>, onResource: (resource: unknown) => void) =>
      readObjects(
        source,
        head,
        to,
        path => (isBundle ? path.length === 1 && path[0] === 'entry' : path.length === 0),
        (object, path) => onResource(path[0] === 'entry' ? getMember(object, 'resource') : object)
      )
    const versions = new ResourceVersions()
    await readResources(silentSink, resource => versions.add(resource))
    const reader = new FhirReader(options.zone, sink, versions)
    await readResources(sink, resource => reader.read(resource))
  }
}

/** Statuses of records without a result, that did not take place, or that were refuted. */
const unfinishedStatuses = new Set([
  'cancelled',
  'registered',
  'not-done',
  'not-taken',
  'draft',
  'preparation',
  'refuted'
])

/** Reads resources one by one. */
export class FhirReader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink,
    /** The versions of all resources of the file. */
    private readonly versions: ResourceVersions
  ) {}

  /** Reads one resource: adds its records, or skips it with a reason. */
  read(resource: unknown): void {
    const kind = getText(resource, 'resourceType') ?? 'entry'
    const statuses = isObject(resource) ? getStatuses(resource) : []
    const versionReason = isObject(resource) ? this.versions.admit(resource) : undefined
    if (!isObject(resource)) this.sink.skip(kind, 'without a resource')
    else if (versionReason !== undefined) this.sink.skip(kind, versionReason)
    else if (statuses.includes('entered-in-error')) this.sink.skip(kind, 'marked as entered in error')
    else if (statuses.some(each => unfinishedStatuses.has(each)))
      this.sink.skip(kind, 'cancelled, not carried out or ruled out')
    else if (kind === 'Observation') this.#addObservation(kind, resource)
    else if (isClinicalKind(kind)) this.#addClinicalRecord(kind, resource)
    else this.sink.skip(kind, 'of a kind without a type here')
  }

  #addObservation(kind: string, resource: Json): void {
    const span = getTimeSpan(resource, this.zone)
    if (Number.isNaN(span.time)) {
      this.sink.skip(kind, 'without a time')
      return
    }
    const common = { kind, source: getSource(resource), ...span, ...getIdentity(resource) }
    const measurement = findMeasurement(resource, span.duration)
    if (!measurement) {
      this.#addClinicalRecord(kind, resource)
      return
    }
    this.sink.addRecord({ ...common, ...measurement })
    for (const each of listFurther(resource, measurement))
      if (each) this.#addObservation(kind, each)
      else this.sink.skip(kind, 'larger than a record can be')
  }

  /** Adds a clinical record, kept as it is. */
  #addClinicalRecord(kind: string, resource: Json): void {
    const span = getTimeSpan(resource, this.zone)
    if (Number.isNaN(span.time)) {
      this.sink.skip(kind, 'without a time')
      return
    }
    const isVital = getList(resource, 'category').some(each => JSON.stringify(each).includes('vital-signs'))
    const record: ImportedRecord = {
      kind,
      source: getSource(resource),
      ...span,
      ...getIdentity(resource),
      ...buildClinicalEvent(kind, {
        name: getDisplayName(resource),
        identifier: getText(resource, 'id') ?? '',
        isVital
      }),
      clientData: { 'fhir:resource': resource }
    }
    this.sink.addRecord(record)
  }
}

/** Returns the status and the verification status of a resource: a code, or a text in older versions. */
function getStatuses(resource: Json): string[] {
  const verification = getList(resource, 'verificationStatus', 'coding').map(each => getText(each, 'code'))
  const isNotGiven = getMember(resource, 'notGiven') === true || getMember(resource, 'wasNotTaken') === true
  return [
    getText(resource, 'status'),
    getText(resource, 'verificationStatus'),
    ...verification,
    ...(isNotGiven ? ['not-done'] : [])
  ].filter(each => each !== undefined)
}

function getTimeSpan(resource: Json, zone: string | undefined): { time: number; duration?: number } {
  for (const name of timeMembers) {
    const path = name.endsWith('Period') ? [name, 'start'] : [name]
    const time = parsePartialTime(getText(resource, ...path), zone)
    if (Number.isNaN(time)) continue
    const end = parsePartialTime(getText(resource, name, 'end'), zone)
    return end > time ? { time, duration: end - time } : { time }
  }
  return { time: NaN }
}

/** Parses a time; dates may consist of a year, or of year and month. */
function parsePartialTime(text: string | undefined, zone: string | undefined): number {
  if (text === undefined) return NaN
  if (/^\d{4}$/.test(text)) return parseIsoTime(`${text}-01-01`, zone)
  if (/^\d{4}-\d\d$/.test(text)) return parseIsoTime(`${text}-01`, zone)
  return parseIsoTime(text, zone)
}

function getSource(resource: Json): string {
  return getText(resource, 'device', 'display') ?? getText(getList(resource, 'performer')[0], 'display') ?? ''
}

function getIdentity(resource: Json): Pick<ImportedRecord, 'identity' | 'version'> {
  return {
    identity: getText(resource, 'id') ?? JSON.stringify(resource),
    version: getRecordVersion(resource)
  }
}

function getDisplayName(resource: Json): string {
  const coded =
    getMember(resource, 'code') ??
    getMember(resource, 'vaccineCode') ??
    getMember(resource, 'medicationCodeableConcept')
  return getText(coded, 'text') ?? getText(getList(coded, 'coding')[0], 'display') ?? ''
}
