/** Clinical documents of HL7 version 3 (CDA, C-CDA), and the one that Apple's export has. */
import { Unreadable, type Format, type Sink } from '../../record.js'
import type { Reason } from '../../reasons.js'
import { localName } from '../../text/xml.js'
import { PressurePairs } from '../apple/pressure.js'
import { giveQuantity } from '../apple/quantities.js'
import { nameOf } from '../apple/types.js'
import { readElements, type ElementReader } from '../xml-files.js'
import { careRecord } from './care.js'
import { CdaElement, ElementBuilder } from './cda-elements.js'
import { careKindOf, careNameOf, concernsIn, faultOf, isVitalSign, statements } from './cda-kinds.js'
import { isNotMeasured, spanIn, toFhir, type Span } from './cda-values.js'
import { measurementIn, pressureHalfIn } from './observations.js'

type Read = Format['read']

const isDocument = (text: string): boolean => /<(?:[\w.-]+:)?ClinicalDocument[\s>]/.test(text)
const read: Read = async (source, head, sink, { options }) => {
  const reader = new Reader(sink, options.zone)
  await readElements(source, head, sink, reader)
  reader.end()
}

/** Its records are those of Apple's other file, so that they are known if both come. */
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

/** What tells nothing of what a record says: documents that overlap have it in other words. */
const aside = new Set(['templateId', 'id', 'text', 'author', 'performer', 'reference'])
/** Elements around one another, and organizers among them. */
const deepest = 1000
const deepestOrganizer = 20
/** What an organizer says of all that it holds, and how much of it is kept: each statement is looked at with it. */
const ofFrame = new Set(['statusCode', 'effectiveTime', 'subject'])
const mostOfFrame = 10

interface Section {
  code: string
  title: string
  hasEntries: boolean
  hasText: boolean
}

/** An organizer without what it holds, which is given out piece by piece. */
interface Organizer {
  readonly frame: CdaElement
  readonly pairs: PressurePairs
}

class Reader implements ElementReader {
  #hasEnded = false
  readonly #path: string[] = []
  readonly #sections: Section[] = []
  readonly #organizers: Organizer[] = []
  /** Of what stands in no organizer. */
  readonly #pairs: PressurePairs
  #building: ElementBuilder | undefined
  /** Takes what is being built. */
  #take: (element: CdaElement) => void = () => undefined
  /** The organization that keeps the document. */
  #source = ''

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#pairs = new PressurePairs(sink)
  }

  /** Apple writes entries behind the end of the document, too. */
  get isClosed(): boolean {
    return this.#hasEnded && this.#path.length === 0 && !this.#building
  }

  open(tag: string, attributes: string): void {
    if (this.#building) {
      this.#building.open(tag, attributes)
      return
    }
    const name = localName(tag)
    const [above, around] = [this.#path.at(-1), this.#path.at(-2)]
    const section = this.#sections.at(-1)
    if (statements.has(name) && (above === 'entry' || (above === 'component' && around === 'organizer'))) {
      if (section) section.hasEntries = true
      if (name !== 'organizer') this.#build(tag, attributes, element => this.#statement(element))
    } else if (above === 'organizer' && name !== 'component') {
      const frame = this.#organizers.at(-1)?.frame
      this.#build(tag, attributes, element => {
        if (frame && ofFrame.has(element.name) && frame.children.length < mostOfFrame)
          frame.children.push(element)
      })
    } else if (above === 'section' && section && name === 'code')
      this.#build(tag, attributes, element => (section.code = element.get('code') ?? ''))
    else if (above === 'section' && section && name === 'title')
      this.#build(tag, attributes, element => (section.title = element.wholeText))
    else if (name === 'representedCustodianOrganization')
      this.#build(tag, attributes, element => (this.#source = element.find('name')?.wholeText ?? ''))
    if (this.#building) return
    this.#begin(tag, name, attributes)
  }

  text(text: string): void {
    const section = this.#sections.at(-1)
    if (this.#building) this.#building.add(text)
    else if (section && !section.hasText) section.hasText = text.trim() !== ''
  }

  close(tag: string): void {
    const name = localName(tag)
    const building = this.#building
    if (building) {
      if (!building.close(name)) return
      this.#building = undefined
      if (building.isTooLarge) this.sink.leftOut(name, 'larger than a record can be')
      else this.#take(building.root)
      return
    }
    // Where an end is missing, or one is there that nothing has begun, the elements around it still hold.
    const at = this.#path.lastIndexOf(name)
    if (at < 0) return
    for (const each of this.#path.splice(at).toReversed()) this.#end(each)
  }

  finish(): void {
    if (this.#building) this.sink.leftOut(this.#building.root.name, 'cut off before its end')
    for (const name of this.#path.splice(0).toReversed()) this.#end(name)
  }

  /** To be called once all has been read. */
  end(): void {
    this.#pairs.end()
  }

  #build(tag: string, attributes: string, take: (element: CdaElement) => void): void {
    this.#building = new ElementBuilder(tag, attributes)
    this.#take = take
  }

  /** An element whose parts are looked at one by one. */
  #begin(tag: string, name: string, attributes: string): void {
    const isTooDeep = name === 'organizer' && this.#organizers.length >= deepestOrganizer
    if (this.#path.length >= deepest || isTooDeep)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', {
        count: isTooDeep ? deepestOrganizer : deepest
      })
    this.#path.push(name)
    if (name === 'section') this.#sections.push({ code: '', title: '', hasEntries: false, hasText: false })
    else if (name === 'organizer')
      this.#organizers.push({
        frame: new CdaElement(tag, attributes),
        pairs: new PressurePairs(this.sink)
      })
    else if (name === 'recordTarget') this.sink.leftOut('patient', 'a description of the person')
    else if (name === 'nonXMLBody') this.sink.leftOut(name, 'of a kind without a type here')
  }

  #end(name: string): void {
    if (name === 'organizer') this.#organizers.pop()?.pairs.end()
    else if (name === 'section') {
      const section = this.#sections.pop()!
      // Most texts say in words what the entries of their section say.
      if (section.hasText && !section.hasEntries)
        this.sink.leftOut(`section ${section.title || section.code}`.trim(), 'of a kind without a type here')
    } else if (name === 'ClinicalDocument') this.#hasEnded = true
  }

  #statement(element: CdaElement): void {
    const type = element.find('text', 'type')?.wholeText ?? ''
    if (type.startsWith('HKQuantityTypeIdentifier')) {
      this.#quantity(element, nameOf(type))
      return
    }
    const concerns = concernsIn(element, this.#sectionCode)
    if (concerns.length === 0) this.#record(element, element)
    for (const each of concerns) this.#record(each, element)
  }

  get #sectionCode(): string {
    return this.#sections.at(-1)?.code ?? ''
  }

  /** A measurement of HealthKit, with the words that Apple's other file has for it. */
  #quantity(element: CdaElement, kind: string): void {
    const span = spanIn(element.all('effectiveTime'), this.zone)
    if (Number.isNaN(span.time)) {
      this.sink.leftOut(kind, withoutTime(span))
      return
    }
    const { duration, time } = span
    const textOf = (name: string): string => element.find('text', name)?.wholeText ?? ''
    const [source, unit, value] = [textOf('sourceName'), textOf('unit'), textOf('value')]
    giveQuantity({ kind, source, time, duration, unit, value }, this.#pairs, this.sink)
  }

  /** A statement, which stands for itself or within `whole`. */
  #record(element: CdaElement, whole: CdaElement): void {
    const { name } = element
    const section = this.#sectionCode
    const organizer = this.#organizers.at(-1)
    const around = [...new Set([element, whole, ...this.#organizers.map(({ frame }) => frame)])]
    const kind = careKindOf(element, section)
    const fault = around.map(each => faultOf(each, section)).find(each => each !== undefined)
    if (fault !== undefined) this.sink.leftOut(name, fault)
    else if (kind === undefined) this.sink.leftOut(name, 'of a kind without a type here')
    else if (kind === 'Observation') this.#observation(element, around, organizer?.pairs ?? this.#pairs)
    else this.#careRecord(kind, element, whole, this.#spanOf(around))
  }

  /** Returns the time of the innermost of elements around one another that has one. */
  #spanOf(around: readonly CdaElement[]): Span {
    const spans = around.map(each => spanIn(each.all('effectiveTime'), this.zone))
    return spans.find(({ isBroken, time }) => isBroken || !Number.isNaN(time)) ?? spans[0]!
  }

  #observation(element: CdaElement, around: readonly CdaElement[], pairs: PressurePairs): void {
    const kind = element.name
    const span = this.#spanOf(around)
    const { duration, time } = span
    const source = this.#source
    const resource = toFhir(element)
    const half = pressureHalfIn(resource)
    const measurement = measurementIn(resource, duration)
    if (isNotMeasured(element)) this.sink.leftOut(kind, 'not measured, as the file itself says')
    else if (!half && !measurement) this.#careRecord('Observation', element, element, span)
    else if (Number.isNaN(time)) this.sink.leftOut(kind, withoutTime(span))
    else if (half) pairs.add({ kind, source, time, ...half })
    else if (measurement) this.sink.datum({ kind, source, time, duration, ...measurement })
  }

  /** Kept as it was. */
  #careRecord(kind: string, element: CdaElement, whole: CdaElement, span: Span): void {
    const written = whole.all('author').flatMap(each => each.all('time'))
    const { duration, isBroken, time } =
      Number.isNaN(span.time) && !span.isBroken ? spanIn(written, this.zone) : span
    if (Number.isNaN(time)) {
      this.sink.leftOut(element.name, withoutTime({ isBroken }))
      return
    }
    const name = careNameOf(kind, element)
    const id = element.find('id')
    this.sink.datum({
      kind: element.name,
      source: this.#source,
      time,
      duration,
      identity: element.toXml(name === '' ? undefined : aside),
      ...careRecord(kind, {
        name,
        identifier: id?.get('extension') ?? id?.get('root') ?? '',
        isVital: kind === 'Observation' && isVitalSign(element, this.#sectionCode)
      }),
      clientData: { 'cda:statement': whole.toXml() }
    })
  }
}

function withoutTime({ isBroken }: Pick<Span, 'isBroken'>): Reason {
  return isBroken ? 'of a time that cannot be read' : 'without a time'
}
