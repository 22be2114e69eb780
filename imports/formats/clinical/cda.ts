/** Reads clinical documents of HL7 version 3 (CDA, C-CDA), and the clinical document in Apple's export. */
import { Unreadable, type Format, type Sink } from '../../record.js'
import type { SkipReason } from '../../skip-reasons.js'
import { getLocalName } from '../../text/xml.js'
import { PressurePairs } from '../apple/pressure-pairs.js'
import { addQuantity } from '../apple/quantities.js'
import { stripPrefix } from '../apple/types.js'
import { readXmlElements, type ElementReader } from '../xml-files.js'
import { buildClinicalEvent } from './clinical-event.js'
import { CdaElement, ElementBuilder } from './cda-elements.js'
import {
  toFhirKind,
  getRecordName,
  findConcerns,
  findSkipReason,
  isVitalSign,
  statementElements
} from './cda-kinds.js'
import { isNotMeasured, findTimeSpan, toFhir, type TimeSpan } from './cda-values.js'
import { findMeasurement, findPressureHalf } from './observations.js'

type ReadFunction = Format['read']

const isDocument = (text: string): boolean => /<(?:[\w.-]+:)?ClinicalDocument[\s>]/.test(text)
const read: ReadFunction = async (source, head, sink, { options }) => {
  const reader = new CdaReader(sink, options.zone)
  await readXmlElements(source, head, sink, reader)
  reader.end()
}

/** Shares its id with Apple's other file, so that a record in both is imported once. */
export const appleCda: Format = {
  id: 'apple-health',
  name: 'Apple Health',
  recognises: ({ text }) => isDocument(text) && /"Health Export CDA"|<type>HK\w+TypeIdentifier/.test(text),
  read
}

export const cda: Format = {
  id: 'cda',
  name: 'Clinical document',
  recognises: ({ text }) => isDocument(text),
  read
}

/** Elements that do not identify a record: overlapping documents write them differently. */
const nonIdentifyingElements = new Set(['templateId', 'id', 'text', 'author', 'performer', 'reference'])
/** Limits of nested elements, and of nested organizers. */
const maxDepth = 1000
const maxOrganizerDepth = 20
/** Elements of an organizer that apply to all its statements, and how many are kept: each statement is checked against them. */
const frameElements = new Set(['statusCode', 'effectiveTime', 'subject'])
const maxFrameElements = 10

interface Section {
  code: string
  title: string
  hasEntries: boolean
  hasText: boolean
}

/** An organizer without its statements, which are processed one by one. */
interface Organizer {
  readonly frame: CdaElement
  readonly pairs: PressurePairs
}

class CdaReader implements ElementReader {
  #hasEnded = false
  readonly #path: string[] = []
  readonly #sections: Section[] = []
  readonly #organizers: Organizer[] = []
  /** Pairs outside of organizers. */
  readonly #pairs: PressurePairs
  #building: ElementBuilder | undefined
  /** Receives the element that is being built. */
  #onElement: (element: CdaElement) => void = () => undefined
  /** The organization that maintains the document. */
  #source = ''

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#pairs = new PressurePairs(sink)
  }

  /** Apple also writes entries after the end of the document. */
  get isClosed(): boolean {
    return this.#hasEnded && this.#path.length === 0 && !this.#building
  }

  /** Begins an element: collects statements, titles and the custodian with their content, and follows sections. */
  open(tag: string, attributes: string): void {
    if (this.#building) {
      this.#building.open(tag, attributes)
      return
    }
    const name = getLocalName(tag)
    const [parent, grandparent] = [this.#path.at(-1), this.#path.at(-2)]
    const section = this.#sections.at(-1)
    if (
      statementElements.has(name) &&
      (parent === 'entry' || (parent === 'component' && grandparent === 'organizer'))
    ) {
      if (section) section.hasEntries = true
      if (name !== 'organizer') this.#build(tag, attributes, element => this.#addStatement(element))
    } else if (parent === 'organizer' && name !== 'component') {
      const frame = this.#organizers.at(-1)?.frame
      this.#build(tag, attributes, element => {
        if (frame && frameElements.has(element.name) && frame.children.length < maxFrameElements)
          frame.children.push(element)
      })
    } else if (parent === 'section' && section && name === 'code')
      this.#build(tag, attributes, element => (section.code = element.get('code') ?? ''))
    else if (parent === 'section' && section && name === 'title')
      this.#build(tag, attributes, element => (section.title = element.wholeText))
    else if (name === 'representedCustodianOrganization')
      this.#build(tag, attributes, element => (this.#source = element.find('name')?.wholeText ?? ''))
    if (this.#building) return
    this.#enter(tag, name, attributes)
  }

  /** Handles text between tags. */
  text(text: string): void {
    const section = this.#sections.at(-1)
    if (this.#building) this.#building.add(text)
    else if (section && !section.hasText) section.hasText = text.trim() !== ''
  }

  /** Handles an end tag: processes the element that is complete now, or leaves the elements that contain others. */
  close(tag: string): void {
    const name = getLocalName(tag)
    const building = this.#building
    if (building) {
      if (!building.close(name)) return
      this.#building = undefined
      if (building.isTooLarge) this.sink.skip(name, 'larger than a record can be')
      else this.#onElement(building.root)
      return
    }
    // Tolerates missing and superfluous end tags: the elements that contain them stay open.
    const index = this.#path.lastIndexOf(name)
    if (index < 0) return
    for (const each of this.#path.splice(index).toReversed()) this.#endElement(each)
  }

  finish(): void {
    if (this.#building) this.sink.skip(this.#building.root.name, 'cut off before its end')
    for (const name of this.#path.splice(0).toReversed()) this.#endElement(name)
  }

  /** Emits what is pending. Must be called after the whole file has been read. */
  end(): void {
    this.#pairs.end()
  }

  #build(tag: string, attributes: string, onElement: (element: CdaElement) => void): void {
    this.#building = new ElementBuilder(tag, attributes)
    this.#onElement = onElement
  }

  /** Enters an element whose children are processed one by one. */
  #enter(tag: string, name: string, attributes: string): void {
    const isTooDeep = name === 'organizer' && this.#organizers.length >= maxOrganizerDepth
    if (this.#path.length >= maxDepth || isTooDeep)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', {
        count: isTooDeep ? maxOrganizerDepth : maxDepth
      })
    this.#path.push(name)
    if (name === 'section') this.#sections.push({ code: '', title: '', hasEntries: false, hasText: false })
    else if (name === 'organizer')
      this.#organizers.push({
        frame: new CdaElement(tag, attributes),
        pairs: new PressurePairs(this.sink)
      })
    else if (name === 'recordTarget') this.sink.skip('patient', 'a description of the person')
    else if (name === 'nonXMLBody') this.sink.skip(name, 'of a kind without a type here')
  }

  #endElement(name: string): void {
    if (name === 'organizer') this.#organizers.pop()?.pairs.end()
    else if (name === 'section') {
      const section = this.#sections.pop()!
      // Most texts repeat the entries of their section.
      if (section.hasText && !section.hasEntries)
        this.sink.skip(`section ${section.title || section.code}`.trim(), 'of a kind without a type here')
    } else if (name === 'ClinicalDocument') this.#hasEnded = true
  }

  #addStatement(element: CdaElement): void {
    const type = element.find('text', 'type')?.wholeText ?? ''
    if (type.startsWith('HKQuantityTypeIdentifier')) {
      this.#addQuantity(element, stripPrefix(type))
      return
    }
    const concerns = findConcerns(element, this.#sectionCode)
    if (concerns.length === 0) this.#addRecord(element, element)
    for (const each of concerns) this.#addRecord(each, element)
  }

  get #sectionCode(): string {
    return this.#sections.at(-1)?.code ?? ''
  }

  /** Adds a HealthKit measurement, named as in Apple's other file. */
  #addQuantity(element: CdaElement, kind: string): void {
    const span = findTimeSpan(element.findAll('effectiveTime'), this.zone)
    if (Number.isNaN(span.time)) {
      this.sink.skip(kind, getTimeFault(span))
      return
    }
    const { duration, time } = span
    const getText = (name: string): string => element.find('text', name)?.wholeText ?? ''
    const [source, unit, value] = [getText('sourceName'), getText('unit'), getText('value')]
    addQuantity({ kind, source, time, duration, unit, value }, this.#pairs, this.sink)
  }

  /** Adds a statement, which stands alone or within `whole`. */
  #addRecord(element: CdaElement, whole: CdaElement): void {
    const { name } = element
    const section = this.#sectionCode
    const organizer = this.#organizers.at(-1)
    const nested = [...new Set([element, whole, ...this.#organizers.map(({ frame }) => frame)])]
    const kind = toFhirKind(element, section)
    const reason = nested.map(each => findSkipReason(each, section)).find(each => each !== undefined)
    if (reason !== undefined) this.sink.skip(name, reason)
    else if (kind === undefined) this.sink.skip(name, 'of a kind without a type here')
    else if (kind === 'Observation') this.#addObservation(element, nested, organizer?.pairs ?? this.#pairs)
    else this.#addClinicalRecord(kind, element, whole, this.#findTimeSpan(nested))
  }

  /** Returns the time of the innermost of nested elements that has a time. */
  #findTimeSpan(around: readonly CdaElement[]): TimeSpan {
    const spans = around.map(each => findTimeSpan(each.findAll('effectiveTime'), this.zone))
    return spans.find(({ isUnreadable, time }) => isUnreadable || !Number.isNaN(time)) ?? spans[0]!
  }

  /** Adds an observation: a measurement, half of a blood pressure, or a clinical record if it has no number. */
  #addObservation(element: CdaElement, nested: readonly CdaElement[], pairs: PressurePairs): void {
    const kind = element.name
    const span = this.#findTimeSpan(nested)
    const { duration, time } = span
    const source = this.#source
    const resource = toFhir(element)
    const half = findPressureHalf(resource)
    const measurement = findMeasurement(resource, duration)
    if (isNotMeasured(element)) this.sink.skip(kind, 'not measured, as the file itself says')
    else if (!half && !measurement) this.#addClinicalRecord('Observation', element, element, span)
    else if (Number.isNaN(time)) this.sink.skip(kind, getTimeFault(span))
    else if (half) pairs.add({ kind, source, time, ...half })
    else if (measurement) this.sink.addRecord({ kind, source, time, duration, ...measurement })
  }

  /** Adds a clinical record, kept as it is. */
  #addClinicalRecord(kind: string, element: CdaElement, whole: CdaElement, span: TimeSpan): void {
    const authored = whole.findAll('author').flatMap(each => each.findAll('time'))
    const { duration, isUnreadable, time } =
      Number.isNaN(span.time) && !span.isUnreadable ? findTimeSpan(authored, this.zone) : span
    if (Number.isNaN(time)) {
      this.sink.skip(element.name, getTimeFault({ isUnreadable }))
      return
    }
    const name = getRecordName(kind, element)
    const id = element.find('id')
    this.sink.addRecord({
      kind: element.name,
      source: this.#source,
      time,
      duration,
      identity: element.toXml(name === '' ? undefined : nonIdentifyingElements),
      ...buildClinicalEvent(kind, {
        name,
        identifier: id?.get('extension') ?? id?.get('root') ?? '',
        isVital: kind === 'Observation' && isVitalSign(element, this.#sectionCode)
      }),
      clientData: { 'cda:statement': whole.toXml() }
    })
  }
}

function getTimeFault({ isUnreadable }: Pick<TimeSpan, 'isUnreadable'>): SkipReason {
  return isUnreadable ? 'of a time that cannot be read' : 'without a time'
}
