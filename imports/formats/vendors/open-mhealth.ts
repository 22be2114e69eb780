/** Reads Open mHealth and IEEE 1752: data points by the names of their schemas. */
import type { ImportedRecord, Format, Sink } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import {
  getMember,
  toLookupMap,
  readObjects,
  isJson,
  isObject,
  getNumber,
  getText,
  type Json
} from '../json-files.js'
import { findMeasure, scaleValue } from '../../text/units.js'
import { getNightContent } from '../../night-record.js'

export const openMhealth: Format = {
  id: 'open-mhealth',
  name: 'Open mHealth',
  recognises: head => isJson(head) && /"schema_id"\s*:/.test(head.text) && /"body"\s*:/.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new OpenMhealthReader(options.zone, sink)
    const isWrapped = /^\s*\{\s*"data_points"/.test(head.text)
    await readObjects(
      source,
      head,
      sink,
      path => (isWrapped ? path.at(-1) === 'data_points' : path.length === 0),
      object => reader.read(object)
    )
  }
}

interface KnownMember {
  readonly stream: string
  /** Prefix of the types of the member's values. Values in other units are skipped. */
  readonly typePrefix?: string
  /** For counts: the type and the accepted units. */
  readonly count?: { readonly type: string; readonly units: RegExp }
}

/** Members of a body that have one measured value. */
const knownMembers = toLookupMap<KnownMember>({
  body_weight: { stream: 'Weight', typePrefix: 'mass/' },
  body_height: { stream: 'Height', typePrefix: 'length/' },
  body_fat_percentage: { stream: 'Body fat', typePrefix: 'ratio/' },
  heart_rate: { stream: 'Heart rate', count: { type: 'frequency/bpm', units: /^(?:beats\/min|bpm)$/ } },
  respiratory_rate: {
    stream: 'Respiratory rate',
    count: { type: 'frequency/brpm', units: /^(?:breaths\/min|brpm)$/ }
  },
  step_count: { stream: 'Steps', count: { type: 'count/steps', units: /^(?:steps?|count)$/ } },
  blood_glucose: { stream: 'Blood glucose', typePrefix: 'density/' },
  body_temperature: { stream: 'Body temperature', typePrefix: 'temperature/' },
  oxygen_saturation: { stream: 'Oxygen saturation', typePrefix: 'ratio/' },
  calories_burned: { stream: 'Energy', typePrefix: 'energy/' },
  kcal_burned: { stream: 'Energy', typePrefix: 'energy/' },
  rr_interval: { stream: 'Beat to beat intervals', typePrefix: 'time/' },
  distance: { stream: 'Distance', typePrefix: 'length/' },
  total_sleep_time: { stream: 'Time asleep', typePrefix: 'time/' },
  sleep_duration: { stream: 'Time asleep', typePrefix: 'time/' }
})
/** Members that describe other members. */
const descriptiveMembers: ReadonlySet<string> = new Set([
  'effective_time_frame',
  'descriptive_statistic',
  'user_notes'
])
const [systolicMember, diastolicMember] = ['systolic_blood_pressure', 'diastolic_blood_pressure'] as const

/** Parts that the records of a data point share. */
type BaseRecord = Pick<
  ImportedRecord,
  'kind' | 'source' | 'time' | 'identity' | 'description' | 'isEvent'
> & {
  readonly duration?: number
}

class OpenMhealthReader {
  /**
   * Number of records of the current data point. The kind of the first record is that of the data point; the kinds of
   * further records also name their members.
   */
  #recordCount = 0

  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  /** Reads one data point, by the name of its schema. */
  read(object: Json): void {
    const schema = getMember(object, 'header', 'schema_id')
    const kind = getText(schema, 'name') ?? (typeof schema === 'string' ? schema : 'data point')
    const body = getMember(object, 'body')
    const { hasUnreadableEnd, ...range } = parseTimeFrame(
      getMember(body, 'effective_time_frame') ?? getMember(object, 'header', 'effective_time_frame'),
      this.zone
    )
    if (!isObject(body) || Number.isNaN(range.time)) {
      this.sink.skip(kind, isObject(body) ? 'without a time' : 'without a body')
      return
    }
    const notes = getText(body, 'user_notes')
    const id = getText(object, 'header', 'id') ?? getText(object, 'header', 'uuid')
    const common: BaseRecord = {
      kind,
      source: getText(object, 'header', 'acquisition_provenance', 'source_name') ?? '',
      ...range,
      // An id alone does not distinguish records with different contents.
      ...(id !== undefined && { identity: `${id} ${JSON.stringify(body)}` }),
      ...(notes !== undefined && { description: notes, isEvent: true })
    }
    this.#recordCount = 0
    if (systolicMember in body || diastolicMember in body) this.#addPressure(common, body)
    const isNight = /sleep-episode/.test(kind)
    if (isNight) this.#addNight(common, body)
    const statistic = getText(body, 'descriptive_statistic')
    for (const [member, value] of Object.entries(body)) {
      if (descriptiveMembers.has(member) || member === systolicMember || member === diastolicMember) continue
      const known = knownMembers.get(member)
      const ownKind = this.#nextKind(kind, member)
      if (member === 'activity_name' && typeof value === 'string')
        this.sink.addRecord({
          ...common,
          kind: ownKind,
          type: 'activity/plain',
          stream: 'Activities',
          identity: common.identity ?? value,
          description: value
        })
      else if (known) this.#addValue({ ...common, kind: ownKind }, member, known, value, statistic)
      // A night keeps its whole body.
      else if (!isNight) this.sink.skip(ownKind, 'of a kind without a type here')
    }
    if (this.#recordCount === 0) this.sink.skip(kind, 'empty')
    else if (hasUnreadableEnd) this.sink.skip(`${kind}, end`, 'of an end that cannot be read')
  }

  #nextKind(kind: string, member: string): string {
    return this.#recordCount++ === 0 ? kind : `${kind} ${member}`
  }

  /** Adds a value. Statistics are not values of their time, and have their own streams. */
  #addValue(
    common: BaseRecord,
    member: string,
    known: KnownMember,
    quantity: unknown,
    statistic: string | undefined
  ): void {
    const value = getNumber(quantity, 'value') ?? (typeof quantity === 'number' ? quantity : undefined)
    const unit = getText(quantity, 'unit') ?? (member === 'step_count' ? 'steps' : '')
    if (value === undefined) {
      this.sink.skip(common.kind, 'without a number')
      return
    }
    const measure = known.count?.units.test(unit)
      ? { type: known.count.type }
      : known.typePrefix === undefined
        ? undefined
        : findMeasure(normaliseUnit(unit))
    if (!measure || (known.typePrefix !== undefined && !measure.type.startsWith(known.typePrefix))) {
      this.sink.skip(
        common.kind,
        unit === '' ? 'of a unit that is not known' : 'in a unit without a type here'
      )
      return
    }
    const content = scaleValue(value, measure.factor)
    const asleep = content * (secondsByType[measure.type] ?? NaN)
    if (member === 'sleep_duration' && getNightContent(asleep, common.duration).analysis === 'asleep')
      this.sink.addRecord({
        ...common,
        type: 'sleep/analysis',
        stream: 'Sleep',
        content: { analysis: 'asleep' }
      })
    else {
      const stream = statistic === undefined ? known.stream : `${known.stream}, ${statistic}`
      this.sink.addRecord({ ...common, type: measure.type, stream, content })
    }
  }

  /** Adds a blood pressure, or counts it as skipped if a half is missing or the unit is not mmHg. */
  #addPressure(common: BaseRecord, body: Json): void {
    const kind = this.#nextKind(common.kind, 'blood_pressure')
    const [systolic, diastolic] = [systolicMember, diastolicMember].map(name =>
      getNumber(body, name, 'value')
    )
    const units = [systolicMember, diastolicMember].map(name => getText(body, name, 'unit') ?? '')
    const statistic = getText(body, 'descriptive_statistic')
    if (systolic === undefined || diastolic === undefined)
      this.sink.skip(kind, 'half of a measurement whose other half is missing')
    else if (!units.every(unit => findMeasure(unit)?.type === 'pressure/mmhg'))
      this.sink.skip(kind, 'in a unit without a type here')
    else
      this.sink.addRecord({
        ...common,
        kind,
        type: 'blood-pressure/mmhg-bpm',
        stream: statistic === undefined ? 'Blood pressure' : `Blood pressure, ${statistic}`,
        content: { systolic, diastolic }
      })
  }

  #addNight(common: BaseRecord, body: Json): void {
    const asleep = toSeconds(getMember(body, 'total_sleep_time'))
    this.sink.addRecord({
      ...common,
      kind: this.#nextKind(common.kind, 'episode'),
      type: 'sleep/analysis',
      stream: 'Sleep',
      content: getNightContent(asleep, common.duration),
      clientData: { 'omh:body': body }
    })
  }
}

/** Seconds per unit of a type. */
const secondsByType: Readonly<Record<string, number>> = {
  'time/s': 1,
  'time/min': 60,
  'time/h': 3600,
  'time/d': 86_400
}

/** Normalises units that are written differently here. */
function normaliseUnit(unit: string): string {
  return unit === 'C' ? 'degc' : unit === 'F' ? 'degf' : unit
}

/** Seconds per unit of time. Months and years are missing, as their lengths differ. */
const seconds: Readonly<Record<string, number>> = {
  ps: 1e-12,
  ns: 1e-9,
  us: 1e-6,
  ms: 0.001,
  sec: 1,
  min: 60,
  h: 3600,
  d: 86_400,
  wk: 604_800
}

interface TimeRange {
  readonly time: number
  readonly duration?: number
  /** True if there is an unreadable end or duration. */
  readonly hasUnreadableEnd: boolean
}

/**
 * Returns the time (NaN if there is none) and duration of a time frame, in seconds. An interval has a start, end or
 * duration, two of them.
 */
function parseTimeFrame(frame: unknown, zone: string | undefined): TimeRange {
  const instant = getText(frame, 'date_time')
  if (instant !== undefined) return { time: parseIsoTime(instant, zone), hasUnreadableEnd: false }
  const interval = getMember(frame, 'time_interval')
  const [start, end] = [getText(interval, 'start_date_time'), getText(interval, 'end_date_time')].map(text =>
    parseIsoTime(text ?? '', zone)
  ) as [number, number]
  const durationValue = getMember(interval, 'duration')
  const duration = durationValue === undefined ? end - start : toSeconds(durationValue)
  const time = Number.isNaN(start) ? end - duration : start
  const hasEnd = durationValue !== undefined || getMember(interval, 'end_date_time') !== undefined
  return { time, ...(duration > 0 && { duration }), hasUnreadableEnd: hasEnd && !(duration >= 0) }
}

/** Converts a quantity of time to seconds; returns `NaN` if that is ambiguous. */
function toSeconds(quantity: unknown): number {
  const unit = getText(quantity, 'unit') ?? ''
  return (getNumber(quantity, 'value') ?? NaN) * (Object.hasOwn(seconds, unit) ? seconds[unit]! : NaN)
}
