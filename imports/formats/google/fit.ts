/** Reads Google Fit: the data points of Takeout and of its API, in buckets or not, and sessions. */
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
    const reader = new GoogleFitReader(sink)
    const isSession = /"fitnessActivity"\s*:/.test(head.text)
    const isBucketed = /"bucket"\s*:/.test(head.text)
    // A file of one source names it at the beginning; buckets have several.
    const origin = isBucketed
      ? ''
      : (/"(?:Data Source|dataSourceId)"\s*:\s*"([^"]{1,500})"/.exec(head.text)?.[1] ?? '')
    await eachObject(
      source,
      head,
      sink,
      path => (isSession ? path.length === 0 : path.at(-1) === 'point' || path.at(-1) === 'Data Points'),
      object => (isSession ? reader.addSession(object) : reader.addPoint(object, origin))
    )
  }
}

const prefix = 'com.google.'
const nanosecondsPerSecond = 1e9

/** Types with a single number, by Google's names. */
const singleValueTypes = new Map<
  string,
  { readonly type: string; readonly stream: string; readonly hasDuration?: boolean }
>([
  ['heart_rate.bpm', { type: 'frequency/bpm', stream: 'Heart rate' }],
  ['step_count.delta', { type: 'count/steps', stream: 'Steps', hasDuration: true }],
  ['distance.delta', { type: 'length/m', stream: 'Distance', hasDuration: true }],
  ['calories.expended', { type: 'energy/kcal', stream: 'Energy', hasDuration: true }],
  ['active_minutes', { type: 'time/min', stream: 'Active time', hasDuration: true }],
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
const sleepStages: readonly string[] = ['', 'awake', 'asleep', 'outOfBed', 'light', 'deep', 'rem']

class GoogleFitReader {
  constructor(private readonly sink: Sink) {}

  addPoint(object: Json, origin: string): void {
    const name = textAt(object, 'dataTypeName') ?? origin.split(':')[1] ?? ''
    const kind = name.startsWith(prefix) ? name.slice(prefix.length) : name || 'point'
    const [time, end] = ['startTimeNanos', 'endTimeNanos'].map(
      each => (numberAt(object, each) ?? NaN) / nanosecondsPerSecond
    ) as [number, number]
    const numbers = getValues(object)
    const single = singleValueTypes.get(kind)
    const base = { kind, source: formatSource(textAt(object, 'originDataSourceId') || origin), time }
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (single) this.#addSingle(base, single, numbers[0], end)
    else if (kind === 'location.sample') this.#addPosition(base, numbers)
    else if (kind === 'blood_pressure') this.#addPressure(base, numbers)
    else if (kind === 'sleep.segment') this.#addSleep(base, numbers[0], end)
    else this.sink.leftOut(kind, 'of a kind without a type here')
  }

  /** Adds an activity. Its totals are data points elsewhere. */
  addSession(object: Json): void {
    const [time, end] = ['startTime', 'endTime'].map(each => isoTime(textAt(object, each) ?? '')) as [
      number,
      number
    ]
    const name = textAt(object, 'fitnessActivity') ?? ''
    if (Number.isNaN(time)) this.sink.leftOut('session', 'without a time')
    else {
      const totals = listAt(object, 'aggregate').flatMap(each => {
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
        clientData: { 'google:session': { activity: name, ...Object.fromEntries(totals.slice(0, 50)) } }
      })
    }
    const segments = listAt(object, 'segment').length
    if (segments > 0) this.sink.leftOut('session segment', 'of a kind without a type here', segments)
  }

  #addSingle(
    base: Pick<Datum, 'kind' | 'source' | 'time'>,
    {
      hasDuration,
      stream,
      type
    }: { readonly type: string; readonly stream: string; readonly hasDuration?: boolean },
    content: number | undefined,
    end: number
  ): void {
    if (content === undefined) this.sink.leftOut(base.kind, 'without a number')
    else
      this.sink.datum({
        ...base,
        type,
        stream,
        content,
        duration: hasDuration && end > base.time ? end - base.time : undefined
      })
  }

  #addPosition(
    base: Pick<Datum, 'kind' | 'source' | 'time'>,
    numbers: readonly (number | undefined)[]
  ): void {
    const [latitude, longitude, horizontalAccuracy, altitude] = numbers
    if (!isPlace(latitude, longitude)) this.sink.leftOut(base.kind, 'at coordinates beyond the earth')
    else
      this.sink.datum({
        ...base,
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

  #addPressure(
    base: Pick<Datum, 'kind' | 'source' | 'time'>,
    numbers: readonly (number | undefined)[]
  ): void {
    const [systolic, diastolic] = numbers
    if (!systolic || !diastolic) this.sink.leftOut(base.kind, 'without a number')
    else
      this.sink.datum({
        ...base,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic }
      })
  }

  #addSleep(base: Pick<Datum, 'kind' | 'source' | 'time'>, value: number | undefined, end: number): void {
    const stage = sleepStages[value ?? 0]
    if (!stage || stage === 'outOfBed')
      this.sink.leftOut(base.kind, stage ? 'of a kind without a type here' : 'without a number')
    else
      this.sink.datum({
        ...base,
        type: 'sleep/analysis',
        stream: 'Sleep',
        duration: end > base.time ? end - base.time : undefined,
        content: { analysis: stage === 'awake' ? 'awake' : 'asleep' },
        identity: `${stage} ${end}`,
        clientData: { 'google:sleep': { stage } }
      })
  }
}

/** Returns the numbers of a data point, as written by Takeout or the API. */
function getValues(object: Json): (number | undefined)[] {
  const base = listAt(object, 'fitValue')
  const values = base.length > 0 ? base.map(each => (each as Json)['value']) : listAt(object, 'value')
  return values.map(each => numberAt(each, 'fpVal') ?? numberAt(each, 'intVal'))
}

/** Formats a data source id such as `raw:com.google.weight:com.example.scale:Scale` without its type, which the stream shows. */
function formatSource(id: string): string {
  return id
    .split(':')
    .filter((part, index) => index !== 1 && part !== '')
    .join(' ')
}
