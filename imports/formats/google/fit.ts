/** Reads Google Fit: the data points of Takeout and of its API, in buckets or not, and sessions. */
import type { ImportedRecord, Format, Sink } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import { readObjects, isJson, getList, getNumber, getText, type Json } from '../json-files.js'
import { isValidPosition } from '../track-writer.js'

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
    // A file with the data of one source names the source at the beginning. Buckets have data of several sources.
    const origin = isBucketed
      ? ''
      : (/"(?:Data Source|dataSourceId)"\s*:\s*"([^"]{1,500})"/.exec(head.text)?.[1] ?? '')
    await readObjects(
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

  /** Adds a data point as a record, or skips it with a reason. `origin`: the data source of its list. */
  addPoint(object: Json, origin: string): void {
    const name = getText(object, 'dataTypeName') ?? origin.split(':')[1] ?? ''
    const kind = name.startsWith(prefix) ? name.slice(prefix.length) : name || 'point'
    const [time, end] = ['startTimeNanos', 'endTimeNanos'].map(
      each => (getNumber(object, each) ?? NaN) / nanosecondsPerSecond
    ) as [number, number]
    const numbers = getValues(object)
    const single = singleValueTypes.get(kind)
    const base = { kind, source: formatSource(getText(object, 'originDataSourceId') || origin), time }
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (single) this.#addSingle(base, single, numbers[0], end)
    else if (kind === 'location.sample') this.#addPosition(base, numbers)
    else if (kind === 'blood_pressure') this.#addPressure(base, numbers)
    else if (kind === 'sleep.segment') this.#addSleep(base, numbers[0], end)
    else this.sink.skip(kind, 'of a kind without a type here')
  }

  /** Adds an activity. Its totals are data points elsewhere. */
  addSession(object: Json): void {
    const [time, end] = ['startTime', 'endTime'].map(each => parseIsoTime(getText(object, each) ?? '')) as [
      number,
      number
    ]
    const name = getText(object, 'fitnessActivity') ?? ''
    if (Number.isNaN(time)) this.sink.skip('session', 'without a time')
    else {
      const totals = getList(object, 'aggregate').flatMap(each => {
        const value = getNumber(each, 'floatValue') ?? getNumber(each, 'intValue')
        return value === undefined ? [] : [[getText(each, 'metricName') ?? '', value] as const]
      })
      this.sink.addRecord({
        kind: 'session',
        source: '',
        type: 'activity/plain',
        stream: 'Activities',
        time,
        duration: end > time ? end - time : undefined,
        identity: name,
        description: getText(object, 'name') || name.replaceAll('_', ' '),
        clientData: { 'google:session': { activity: name, ...Object.fromEntries(totals.slice(0, 50)) } }
      })
    }
    const segments = getList(object, 'segment').length
    if (segments > 0) this.sink.skip('session segment', 'of a kind without a type here', segments)
  }

  /** Adds a value, or counts it as skipped if it is missing. `end` is in seconds. */
  #addSingle(
    base: Pick<ImportedRecord, 'kind' | 'source' | 'time'>,
    {
      hasDuration,
      stream,
      type
    }: { readonly type: string; readonly stream: string; readonly hasDuration?: boolean },
    content: number | undefined,
    end: number
  ): void {
    if (content === undefined) this.sink.skip(base.kind, 'without a number')
    else
      this.sink.addRecord({
        ...base,
        type,
        stream,
        content,
        duration: hasDuration && end > base.time ? end - base.time : undefined
      })
  }

  /** Adds a position, or counts it as skipped if it is missing or not on the earth. */
  #addPosition(
    base: Pick<ImportedRecord, 'kind' | 'source' | 'time'>,
    numbers: readonly (number | undefined)[]
  ): void {
    const [latitude, longitude, horizontalAccuracy, altitude] = numbers
    if (!isValidPosition(latitude, longitude)) this.sink.skip(base.kind, 'at coordinates beyond the earth')
    else
      this.sink.addRecord({
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

  /** Adds a blood pressure from its numbers: systolic, then diastolic. */
  #addPressure(
    base: Pick<ImportedRecord, 'kind' | 'source' | 'time'>,
    numbers: readonly (number | undefined)[]
  ): void {
    const [systolic, diastolic] = numbers
    if (!systolic || !diastolic) this.sink.skip(base.kind, 'without a number')
    else
      this.sink.addRecord({
        ...base,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic }
      })
  }

  /** Adds a stage of sleep that ends at `end`, in seconds. Being out of bed is skipped. */
  #addSleep(
    base: Pick<ImportedRecord, 'kind' | 'source' | 'time'>,
    value: number | undefined,
    end: number
  ): void {
    const stage = sleepStages[value ?? 0]
    if (!stage || stage === 'outOfBed')
      this.sink.skip(base.kind, stage ? 'of a kind without a type here' : 'without a number')
    else
      this.sink.addRecord({
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
  const base = getList(object, 'fitValue')
  const values = base.length > 0 ? base.map(each => (each as Json)['value']) : getList(object, 'value')
  return values.map(each => getNumber(each, 'fpVal') ?? getNumber(each, 'intVal'))
}

/** Formats a data source id such as `raw:com.google.weight:com.example.scale:Scale` without its type, which the stream shows. */
function formatSource(id: string): string {
  return id
    .split(':')
    .filter((part, index) => index !== 1 && part !== '')
    .join(' ')
}
