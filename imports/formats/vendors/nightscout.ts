/** Nightscout's entries and treatments, as its API and exports of its database give them. */
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
    const reader = new Reader(options.zone, sink)
    await eachObject(source, head, sink, outermost, object => reader.read(object))
  }
}

/** What sensors of Dexcom send below and above their range, in mg/dL. */
const bounds: ReadonlySet<number> = new Set([39, 401])
/** Values below and above these are codes of errors, in mg/dL. */
const [lowest, highest] = [20, 600]
const unimaginable = 'of a value that is impossible for what it measures'

/** Amounts of treatments, with their types. */
const amounts: readonly (readonly [name: string, type: string, stream: string])[] = [
  ['insulin', 'volume/iu', 'Insulin'],
  ['carbs', 'mass/g', 'Carbohydrates'],
  ['protein', 'mass/g', 'Protein'],
  ['fat', 'mass/g', 'Fat']
]

type Common = Pick<Datum, 'source' | 'time'>

class Reader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(object: Json): void {
    const eventType = textAt(object, 'eventType')
    const kind = eventType ?? textAt(object, 'type') ?? (at(object, 'mbg') === undefined ? 'sgv' : 'mbg')
    const time = timeOf(object, this.zone)
    if (at(object, 'isValid') === false) this.sink.leftOut(kind, 'marked as entered in error')
    else if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (eventType === undefined) this.#entry(kind, { source: sourceOf(object), time }, object)
    else this.#treatment(eventType, { source: sourceOf(object), time }, object)
  }

  #entry(kind: string, common: Common, object: Json): void {
    const value = numberAt(object, 'sgv') ?? numberAt(object, 'mbg')
    if (kind !== 'sgv' && kind !== 'mbg') this.sink.leftOut(kind, 'of a kind without a type here')
    else if (value === undefined) this.sink.leftOut(kind, 'without a number')
    else this.#glucose(kind, common, value, textAt(object, 'units'))
  }

  /** Nightscout keeps mg/dL whatever it shows; only treatments name another unit. */
  #glucose(kind: string, common: Common, value: number, units: string | undefined): void {
    const isMmol = units !== undefined && /^mmol/i.test(units)
    const mgPerDl = isMmol ? value * mgPerMmol : value
    if (!isMmol && bounds.has(value)) this.sink.leftOut(kind, 'beyond what the sensor can measure')
    else if (mgPerDl < lowest || mgPerDl > highest) this.sink.leftOut(kind, unimaginable)
    else {
      const type = isMmol ? 'density/mmol-l' : 'density/mg-dl'
      this.sink.datum({ ...common, kind, type, stream: 'Blood glucose', content: value })
    }
  }

  /** Each value of a treatment counts as a record of its own. */
  #treatment(eventType: string, common: Common, object: Json): void {
    let found = 0
    const clientData = { 'nightscout:eventType': eventType }
    for (const [name, type, stream] of amounts) {
      const value = numberAt(object, name)
      if (value === undefined) continue
      found++
      if (value === 0) this.sink.leftOut(name, 'zero, which stands for none')
      else this.sink.datum({ ...common, kind: name, type, stream, content: value, clientData })
    }
    const glucose = numberAt(object, 'glucose')
    if (glucose !== undefined && ++found) this.#glucose('glucose', common, glucose, textAt(object, 'units'))
    const notes = (textAt(object, 'notes') ?? '').trim()
    if (notes !== '' && ++found)
      this.sink.datum({
        ...common,
        kind: 'notes',
        type: 'note/txt',
        stream: 'Notes',
        content: notes,
        clientData
      })
    if (found === 0) this.sink.leftOut(eventType, 'of a kind without a type here')
  }
}

/** mg/dL of a mmol/L of glucose. */
const mgPerMmol = 18.0156

/** Milliseconds, or texts, which name their zone as a rule. */
function timeOf(object: Json, zone: string | undefined): number {
  const ms = numberAt(object, 'date') ?? numberAt(object, 'mills')
  if (ms !== undefined) return ms / 1000
  for (const name of ['dateString', 'created_at', 'sysTime', 'timestamp']) {
    const time = isoTime(textAt(object, name) ?? '', zone)
    if (!Number.isNaN(time)) return time
  }
  return NaN
}

function sourceOf(object: Json): string {
  return textAt(object, 'device') ?? textAt(object, 'enteredBy') ?? ''
}
