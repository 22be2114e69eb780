/** Google Fit: the data points of Takeout and of its API, in buckets or not, and sessions. */
import type { Datum, Format, Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { eachObject, isJson, listAt, numberAt, textAt, type Json } from '../json-files.js'
import { isPlace } from '../tracks.js'

export const googleFit: Format = {
  id: 'google-fit',
  name: 'Google Fit',
  recognises: head =>
    isJson(head) &&
    (/"dataTypeName"\s*:\s*"com\.google\./.test(head.text) ||
      /"(?:Data Source|dataSourceId)"\s*:\s*"(?:raw|derived):com\.google\./.test(head.text) ||
      (/"fitnessActivity"\s*:/.test(head.text) && /"startTime"\s*:/.test(head.text))),
  async read(source, head, sink) {
    const reader = new Reader(sink)
    const isSession = /"fitnessActivity"\s*:/.test(head.text)
    const isBucketed = /"bucket"\s*:/.test(head.text)
    // A file of one source names it at its beginning; buckets have several.
    const origin = isBucketed
      ? ''
      : (/"(?:Data Source|dataSourceId)"\s*:\s*"([^"]{1,500})"/.exec(head.text)?.[1] ?? '')
    await eachObject(
      source,
      head,
      sink,
      path => (isSession ? path.length === 0 : path.at(-1) === 'point' || path.at(-1) === 'Data Points'),
      object => (isSession ? reader.session(object) : reader.point(object, origin))
    )
  }
}

const prefix = 'com.google.'
const nanoseconds = 1e9

/** Types of one number, by the names of Google's. */
const singles = new Map<
  string,
  { readonly type: string; readonly stream: string; readonly isSpan?: boolean }
>([
  ['heart_rate.bpm', { type: 'frequency/bpm', stream: 'Heart rate' }],
  ['step_count.delta', { type: 'count/steps', stream: 'Steps', isSpan: true }],
  ['distance.delta', { type: 'length/m', stream: 'Distance', isSpan: true }],
  ['calories.expended', { type: 'energy/kcal', stream: 'Energy', isSpan: true }],
  ['active_minutes', { type: 'time/min', stream: 'Active time', isSpan: true }],
  ['weight', { type: 'mass/kg', stream: 'Weight' }],
  ['height', { type: 'length/m', stream: 'Height' }],
  ['body.fat.percentage', { type: 'ratio/percent', stream: 'Body fat' }],
  ['oxygen_saturation', { type: 'ratio/percent', stream: 'Oxygen saturation' }],
  ['body.temperature', { type: 'temperature/c', stream: 'Body temperature' }],
  ['blood_glucose', { type: 'density/mmol-l', stream: 'Blood glucose' }],
  ['hydration', { type: 'volume/l', stream: 'Drinks' }],
  ['speed', { type: 'speed/m-s', stream: 'Speed' }],
  ['power.sample', { type: 'power/w', stream: 'Power' }],
  ['cycling.wheel_revolution.rpm', { type: 'frequency/rpm', stream: 'Turns of the wheel' }],
  ['cycling.pedaling.cadence', { type: 'frequency/rpm', stream: 'Cadence' }]
])
const stages: readonly string[] = ['', 'awake', 'asleep', 'outOfBed', 'light', 'deep', 'rem']

class Reader {
  constructor(private readonly sink: Sink) {}

  point(object: Json, origin: string): void {
    const name = textAt(object, 'dataTypeName') ?? origin.split(':')[1] ?? ''
    const kind = name.startsWith(prefix) ? name.slice(prefix.length) : name || 'point'
    const [time, end] = ['startTimeNanos', 'endTimeNanos'].map(
      each => (numberAt(object, each) ?? NaN) / nanoseconds
    ) as [number, number]
    const numbers = valuesOf(object)
    const single = singles.get(kind)
    const own = { kind, source: sourceOf(textAt(object, 'originDataSourceId') || origin), time }
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (single) this.#single(own, single, numbers[0], end)
    else if (kind === 'location.sample') this.#position(own, numbers)
    else if (kind === 'blood_pressure') this.#pressure(own, numbers)
    else if (kind === 'sleep.segment') this.#sleep(own, numbers[0], end)
    else this.sink.leftOut(kind, 'of a kind without a type here')
  }

  /** An activity as a whole, with sums that are points elsewhere. */
  session(object: Json): void {
    const [time, end] = ['startTime', 'endTime'].map(each => isoTime(textAt(object, each) ?? '')) as [
      number,
      number
    ]
    const name = textAt(object, 'fitnessActivity') ?? ''
    if (Number.isNaN(time)) this.sink.leftOut('session', 'without a time')
    else {
      const sums = listAt(object, 'aggregate').flatMap(each => {
        const value = numberAt(each, 'floatValue') ?? numberAt(each, 'intValue')
        return value === undefined ? [] : [[textAt(each, 'metricName') ?? '', value] as const]
      })
      this.sink.datum({
        kind: 'session',
        source: '',
        type: 'activity/plain',
        stream: 'Activities',
        time,
        duration: end > time ? end - time : undefined,
        identity: name,
        description: textAt(object, 'name') || name.replaceAll('_', ' '),
        clientData: { 'google:session': { activity: name, ...Object.fromEntries(sums.slice(0, 50)) } }
      })
    }
    const segments = listAt(object, 'segment').length
    if (segments > 0) this.sink.leftOut('session segment', 'of a kind without a type here', segments)
  }

  #single(
    own: Pick<Datum, 'kind' | 'source' | 'time'>,
    { isSpan, stream, type }: { readonly type: string; readonly stream: string; readonly isSpan?: boolean },
    content: number | undefined,
    end: number
  ): void {
    if (content === undefined) this.sink.leftOut(own.kind, 'without a number')
    else
      this.sink.datum({
        ...own,
        type,
        stream,
        content,
        duration: isSpan && end > own.time ? end - own.time : undefined
      })
  }

  #position(own: Pick<Datum, 'kind' | 'source' | 'time'>, numbers: readonly (number | undefined)[]): void {
    const [latitude, longitude, horizontalAccuracy, altitude] = numbers
    if (!isPlace(latitude, longitude)) this.sink.leftOut(own.kind, 'at coordinates beyond the earth')
    else
      this.sink.datum({
        ...own,
        type: 'position/wgs84',
        stream: 'Positions',
        content: {
          latitude,
          longitude,
          ...(horizontalAccuracy !== undefined && { horizontalAccuracy }),
          ...(altitude !== undefined && { altitude })
        }
      })
  }

  #pressure(own: Pick<Datum, 'kind' | 'source' | 'time'>, numbers: readonly (number | undefined)[]): void {
    const [systolic, diastolic] = numbers
    if (!systolic || !diastolic) this.sink.leftOut(own.kind, 'without a number')
    else
      this.sink.datum({
        ...own,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic }
      })
  }

  #sleep(own: Pick<Datum, 'kind' | 'source' | 'time'>, value: number | undefined, end: number): void {
    const stage = stages[value ?? 0]
    if (!stage || stage === 'outOfBed')
      this.sink.leftOut(own.kind, stage ? 'of a kind without a type here' : 'without a number')
    else
      this.sink.datum({
        ...own,
        type: 'sleep/analysis',
        stream: 'Sleep',
        duration: end > own.time ? end - own.time : undefined,
        content: { analysis: stage === 'awake' ? 'awake' : 'asleep' },
        identity: `${stage} ${end}`,
        clientData: { 'google:sleep': { stage } }
      })
  }
}

/** The numbers of a point, as Takeout and the API write them. */
function valuesOf(object: Json): (number | undefined)[] {
  const own = listAt(object, 'fitValue')
  const values = own.length > 0 ? own.map(each => (each as Json)['value']) : listAt(object, 'value')
  return values.map(each => numberAt(each, 'fpVal') ?? numberAt(each, 'intVal'))
}

/** `raw:com.google.weight:com.example.scale:Scale` without the type, which the stream tells. */
function sourceOf(id: string): string {
  return id
    .split(':')
    .filter((part, at) => at !== 1 && part !== '')
    .join(' ')
}
