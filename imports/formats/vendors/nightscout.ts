/** Reads Nightscout's entries and treatments, from its API and exports of its database. */
import type { ImportedRecord, Format, Sink } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import { getMember, readObjects, isJson, getNumber, getText, type Json, isTopLevel } from '../json-files.js'

export const nightscout: Format = {
  id: 'nightscout',
  name: 'Nightscout',
  recognises: head =>
    isJson(head) &&
    (/"(?:sgv|mbg)"\s*:/.test(head.text)
      ? /"date(?:String)?"\s*:/.test(head.text)
      : /"eventType"\s*:/.test(head.text) && /"created_at"\s*:/.test(head.text)),
  async read(source, head, sink, { options }) {
    const reader = new NightscoutReader(options.zone, sink)
    await readObjects(source, head, sink, isTopLevel, object => reader.read(object))
  }
}

/** Values that Dexcom sensors send below and above their range, in mg/dL. */
const outOfRangeValues: ReadonlySet<number> = new Set([39, 401])
/** Valid range in mg/dL; other values are error codes. */
const [minGlucose, maxGlucose] = [20, 600]
const impossibleValue = 'of a value that is impossible for what it measures'

/** Amounts of treatments, with their types and streams. */
const amounts: readonly (readonly [name: string, type: string, stream: string])[] = [
  ['insulin', 'volume/iu', 'Insulin'],
  ['carbs', 'mass/g', 'Carbohydrates'],
  ['protein', 'mass/g', 'Protein'],
  ['fat', 'mass/g', 'Fat']
]

type BaseRecord = Pick<ImportedRecord, 'source' | 'time'>

/** Converts documents to records. `zone` is the time zone of times that name none. */
export class NightscoutReader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  /**
   * Reads one object: an entry, or a treatment if it has an event type. Skips it if it has no time or is
   * marked as invalid.
   */
  read(object: Json): void {
    const eventType = getText(object, 'eventType')
    const kind =
      eventType ?? getText(object, 'type') ?? (getMember(object, 'mbg') === undefined ? 'sgv' : 'mbg')
    const time = getNightscoutTime(object, this.zone)
    if (getMember(object, 'isValid') === false) this.sink.skip(kind, 'marked as entered in error')
    else if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (eventType === undefined) this.#addEntry(kind, { source: getSource(object), time }, object)
    else this.#addTreatment(eventType, { source: getSource(object), time }, object)
  }

  #addEntry(kind: string, common: BaseRecord, object: Json): void {
    const value = getNumber(object, 'sgv') ?? getNumber(object, 'mbg')
    if (kind !== 'sgv' && kind !== 'mbg') this.sink.skip(kind, 'of a kind without a type here')
    else if (value === undefined) this.sink.skip(kind, 'without a number')
    else this.#addGlucose(kind, common, value, getText(object, 'units'))
  }

  /** Adds a glucose value. Nightscout stores mg/dL whatever it displays; only treatments name another unit. */
  #addGlucose(kind: string, common: BaseRecord, value: number, units: string | undefined): void {
    const isMmol = units !== undefined && /^mmol/i.test(units)
    const mgPerDl = isMmol ? value * mgPerMmol : value
    if (!isMmol && outOfRangeValues.has(value)) this.sink.skip(kind, 'beyond what the sensor can measure')
    else if (mgPerDl < minGlucose || mgPerDl > maxGlucose) this.sink.skip(kind, impossibleValue)
    else {
      const type = isMmol ? 'density/mmol-l' : 'density/mg-dl'
      this.sink.addRecord({ ...common, kind, type, stream: 'Blood glucose', content: value })
    }
  }

  /** Adds each value of a treatment as a record. */
  #addTreatment(eventType: string, common: BaseRecord, object: Json): void {
    let count = 0
    const clientData = { 'nightscout:eventType': eventType }
    for (const [name, type, stream] of amounts) {
      const value = getNumber(object, name)
      if (value === undefined) continue
      count++
      if (value === 0) this.sink.skip(name, 'zero, which stands for none')
      else this.sink.addRecord({ ...common, kind: name, type, stream, content: value, clientData })
    }
    const glucose = getNumber(object, 'glucose')
    if (glucose !== undefined && ++count)
      this.#addGlucose('glucose', common, glucose, getText(object, 'units'))
    const notes = (getText(object, 'notes') ?? '').trim()
    if (notes !== '' && ++count)
      this.sink.addRecord({
        ...common,
        kind: 'notes',
        type: 'note/txt',
        stream: 'Notes',
        content: notes,
        clientData
      })
    if (count === 0) this.sink.skip(eventType, 'of a kind without a type here')
  }
}

/** mg/dL per mmol/L of glucose. */
const mgPerMmol = 18.0156

/** Returns the time of a document in seconds, from milliseconds or a text that usually names its zone; `NaN` without one. */
export function getNightscoutTime(object: Json, zone: string | undefined): number {
  const milliseconds = getNumber(object, 'date') ?? getNumber(object, 'mills')
  if (milliseconds !== undefined) return milliseconds / 1000
  for (const name of ['dateString', 'created_at', 'sysTime', 'timestamp']) {
    const time = parseIsoTime(getText(object, name) ?? '', zone)
    if (!Number.isNaN(time)) return time
  }
  return NaN
}

function getSource(object: Json): string {
  return getText(object, 'device') ?? getText(object, 'enteredBy') ?? ''
}
