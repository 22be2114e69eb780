/** Reads Nightscout's entries and treatments, from its API and exports of its database. */
import type { Datum, Format, Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { at, eachObject, isJson, numberAt, textAt, type Json, outermost } from '../json-files.js'

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
    await eachObject(source, head, sink, outermost, object => reader.read(object))
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

type BaseRecord = Pick<Datum, 'source' | 'time'>

class NightscoutReader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(object: Json): void {
    const eventType = textAt(object, 'eventType')
    const kind = eventType ?? textAt(object, 'type') ?? (at(object, 'mbg') === undefined ? 'sgv' : 'mbg')
    const time = getTime(object, this.zone)
    if (at(object, 'isValid') === false) this.sink.leftOut(kind, 'marked as entered in error')
    else if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (eventType === undefined) this.#addEntry(kind, { source: getSource(object), time }, object)
    else this.#addTreatment(eventType, { source: getSource(object), time }, object)
  }

  #addEntry(kind: string, common: BaseRecord, object: Json): void {
    const value = numberAt(object, 'sgv') ?? numberAt(object, 'mbg')
    if (kind !== 'sgv' && kind !== 'mbg') this.sink.leftOut(kind, 'of a kind without a type here')
    else if (value === undefined) this.sink.leftOut(kind, 'without a number')
    else this.#addGlucose(kind, common, value, textAt(object, 'units'))
  }

  /** Adds a glucose value. Nightscout stores mg/dL whatever it displays; only treatments name another unit. */
  #addGlucose(kind: string, common: BaseRecord, value: number, units: string | undefined): void {
    const isMmol = units !== undefined && /^mmol/i.test(units)
    const mgPerDl = isMmol ? value * mgPerMmol : value
    if (!isMmol && outOfRangeValues.has(value)) this.sink.leftOut(kind, 'beyond what the sensor can measure')
    else if (mgPerDl < minGlucose || mgPerDl > maxGlucose) this.sink.leftOut(kind, impossibleValue)
    else {
      const type = isMmol ? 'density/mmol-l' : 'density/mg-dl'
      this.sink.datum({ ...common, kind, type, stream: 'Blood glucose', content: value })
    }
  }

  /** Adds each value of a treatment as a record. */
  #addTreatment(eventType: string, common: BaseRecord, object: Json): void {
    let count = 0
    const clientData = { 'nightscout:eventType': eventType }
    for (const [name, type, stream] of amounts) {
      const value = numberAt(object, name)
      if (value === undefined) continue
      count++
      if (value === 0) this.sink.leftOut(name, 'zero, which stands for none')
      else this.sink.datum({ ...common, kind: name, type, stream, content: value, clientData })
    }
    const glucose = numberAt(object, 'glucose')
    if (glucose !== undefined && ++count)
      this.#addGlucose('glucose', common, glucose, textAt(object, 'units'))
    const notes = (textAt(object, 'notes') ?? '').trim()
    if (notes !== '' && ++count)
      this.sink.datum({
        ...common,
        kind: 'notes',
        type: 'note/txt',
        stream: 'Notes',
        content: notes,
        clientData
      })
    if (count === 0) this.sink.leftOut(eventType, 'of a kind without a type here')
  }
}

/** mg/dL per mmol/L of glucose. */
const mgPerMmol = 18.0156

/** Returns the time of an entry: milliseconds, or a text that usually names its zone. */
function getTime(object: Json, zone: string | undefined): number {
  const milliseconds = numberAt(object, 'date') ?? numberAt(object, 'mills')
  if (milliseconds !== undefined) return milliseconds / 1000
  for (const name of ['dateString', 'created_at', 'sysTime', 'timestamp']) {
    const time = isoTime(textAt(object, name) ?? '', zone)
    if (!Number.isNaN(time)) return time
  }
  return NaN
}

function getSource(object: Json): string {
  return textAt(object, 'device') ?? textAt(object, 'enteredBy') ?? ''
}
