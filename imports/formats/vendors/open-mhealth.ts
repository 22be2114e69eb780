/** Open mHealth and IEEE 1752: data points by the names of their schemas. */
import type { Format, Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { at, eachObject, isJson, isObject, numberAt, textAt, type Json } from '../json-files.js'
import { measureOf } from '../../text/units.js'

export const openMhealth: Format = {
  id: 'open-mhealth',
  name: 'Open mHealth',
  recognises: head => isJson(head) && /"schema_id"\s*:/.test(head.text) && /"body"\s*:/.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new Reader(options.zone, sink)
    const isWrapped = /^\s*\{\s*"data_points"/.test(head.text)
    await eachObject(
      source,
      head,
      sink,
      path => (isWrapped ? path.at(-1) === 'data_points' : path.length === 0),
      object => reader.read(object)
    )
  }
}

/** Members of bodies with one measured value, and their streams. */
const values: Readonly<Record<string, { stream: string; type?: string }>> = {
  body_weight: { stream: 'Weight' },
  body_height: { stream: 'Height' },
  body_fat_percentage: { stream: 'Body fat' },
  heart_rate: { stream: 'Heart rate', type: 'frequency/bpm' },
  respiratory_rate: { stream: 'Respiratory rate', type: 'frequency/brpm' },
  blood_glucose: { stream: 'Blood glucose' },
  body_temperature: { stream: 'Body temperature' },
  oxygen_saturation: { stream: 'Oxygen saturation' },
  calories_burned: { stream: 'Energy' },
  kcal_burned: { stream: 'Energy' },
  rr_interval: { stream: 'Beat to beat intervals' },
  distance: { stream: 'Distance' }
}

class Reader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(object: Json): void {
    const schema = at(object, 'header', 'schema_id')
    const kind = textAt(schema, 'name') ?? (typeof schema === 'string' ? schema : 'data point')
    const body = at(object, 'body')
    const span = spanOf(
      at(body, 'effective_time_frame') ?? at(object, 'header', 'effective_time_frame'),
      this.zone
    )
    if (!isObject(body) || Number.isNaN(span.time)) {
      this.sink.leftOut(kind, isObject(body) ? 'without a time' : 'without a body')
      return
    }
    const source = textAt(object, 'header', 'acquisition_provenance', 'source_name') ?? ''
    const common = { kind, source, ...span }
    const identity = textAt(object, 'header', 'id') ?? textAt(object, 'header', 'uuid')
    const steps = numberAt(body, 'step_count', 'value') ?? numberAt(body, 'step_count')
    const [systolic, diastolic] = [
      numberAt(body, 'systolic_blood_pressure', 'value'),
      numberAt(body, 'diastolic_blood_pressure', 'value')
    ]
    if (systolic !== undefined && diastolic !== undefined)
      this.sink.datum({
        ...common,
        identity,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic }
      })
    else if (steps !== undefined)
      this.sink.datum({ ...common, identity, type: 'count/steps', stream: 'Steps', content: steps })
    else if (at(body, 'sleep_duration') !== undefined || /sleep/.test(kind))
      this.sink.datum({
        ...common,
        identity,
        type: 'sleep/analysis',
        stream: 'Sleep',
        content: { analysis: 'asleep' },
        clientData: { 'omh:body': body }
      })
    else this.#value(common, identity, body)
  }

  #value(
    common: { readonly kind: string; readonly source: string; readonly time: number },
    identity: string | undefined,
    body: Json
  ): void {
    for (const [name, { stream, type }] of Object.entries(values)) {
      const value = numberAt(body, name, 'value')
      if (value === undefined) continue
      const measure = measureOf(unitOf(textAt(body, name, 'unit') ?? ''))
      const own = type ?? measure?.type
      if (own === undefined) break
      const content = measure?.factor === undefined ? value : Number((value * measure.factor).toPrecision(12))
      this.sink.datum({ ...common, identity, type: own, stream, content })
      return
    }
    this.sink.leftOut(common.kind, 'of a kind or unit without a type here')
  }
}

/** Units that are written in another way here. */
function unitOf(unit: string): string {
  return unit === 'beats/min' || unit === 'breaths/min'
    ? '/min'
    : unit === 'C'
      ? 'degc'
      : unit === 'F'
        ? 'degf'
        : unit
}

const seconds: Readonly<Record<string, number>> = { ms: 0.001, sec: 1, min: 60, h: 3600, d: 86_400 }

function spanOf(frame: unknown, zone: string | undefined): { time: number; duration?: number } {
  const instant = textAt(frame, 'date_time')
  if (instant !== undefined) return { time: isoTime(instant, zone) }
  const interval = at(frame, 'time_interval')
  const [start, end] = [textAt(interval, 'start_date_time'), textAt(interval, 'end_date_time')].map(text =>
    isoTime(text ?? '', zone)
  ) as [number, number]
  const length = numberAt(interval, 'duration', 'value')
  const duration =
    length === undefined ? end - start : length * (seconds[textAt(interval, 'duration', 'unit') ?? ''] ?? NaN)
  const time = Number.isNaN(start) ? end - duration : start
  return duration > 0 ? { time, duration } : { time }
}
