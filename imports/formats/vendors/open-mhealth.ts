/** Open mHealth and IEEE 1752: data points by the names of their schemas. */
import type { Datum, Format, Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { at, byName, eachObject, isJson, isObject, numberAt, textAt, type Json } from '../json-files.js'
import { measureOf, scaled } from '../../text/units.js'
import { nightContent } from '../sleep.js'

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

interface Known {
  readonly stream: string
  /** What the types of its values begin with: those of units that measure something else are none. */
  readonly of?: string
  /** Of a count: its one type, and the units for it. */
  readonly count?: { readonly type: string; readonly units: RegExp }
}

/** Members of bodies with one measured value. */
const values = byName<Known>({
  body_weight: { stream: 'Weight', of: 'mass/' },
  body_height: { stream: 'Height', of: 'length/' },
  body_fat_percentage: { stream: 'Body fat', of: 'ratio/' },
  heart_rate: { stream: 'Heart rate', count: { type: 'frequency/bpm', units: /^(?:beats\/min|bpm)$/ } },
  respiratory_rate: {
    stream: 'Respiratory rate',
    count: { type: 'frequency/brpm', units: /^(?:breaths\/min|brpm)$/ }
  },
  step_count: { stream: 'Steps', count: { type: 'count/steps', units: /^(?:steps?|count)$/ } },
  blood_glucose: { stream: 'Blood glucose', of: 'density/' },
  body_temperature: { stream: 'Body temperature', of: 'temperature/' },
  oxygen_saturation: { stream: 'Oxygen saturation', of: 'ratio/' },
  calories_burned: { stream: 'Energy', of: 'energy/' },
  kcal_burned: { stream: 'Energy', of: 'energy/' },
  rr_interval: { stream: 'Beat to beat intervals', of: 'time/' },
  distance: { stream: 'Distance', of: 'length/' },
  total_sleep_time: { stream: 'Time asleep', of: 'time/' },
  sleep_duration: { stream: 'Time asleep', of: 'time/' }
})
/** Members about the others. */
const about: ReadonlySet<string> = new Set(['effective_time_frame', 'descriptive_statistic', 'user_notes'])
const [systolicName, diastolicName] = ['systolic_blood_pressure', 'diastolic_blood_pressure'] as const

/** What the records of a data point share. */
type Common = Pick<Datum, 'kind' | 'source' | 'time' | 'identity' | 'description' | 'isEvent'> & {
  readonly duration?: number
}

class Reader {
  /** Records of the present data point: the first is called as it is, the others after their members. */
  #found = 0

  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(object: Json): void {
    const schema = at(object, 'header', 'schema_id')
    const kind = textAt(schema, 'name') ?? (typeof schema === 'string' ? schema : 'data point')
    const body = at(object, 'body')
    const { hasOddEnd, ...span } = spanOf(
      at(body, 'effective_time_frame') ?? at(object, 'header', 'effective_time_frame'),
      this.zone
    )
    if (!isObject(body) || Number.isNaN(span.time)) {
      this.sink.leftOut(kind, isObject(body) ? 'without a time' : 'without a body')
      return
    }
    const notes = textAt(body, 'user_notes')
    const id = textAt(object, 'header', 'id') ?? textAt(object, 'header', 'uuid')
    const common: Common = {
      kind,
      source: textAt(object, 'header', 'acquisition_provenance', 'source_name') ?? '',
      ...span,
      // An id does not tell apart what has different contents.
      ...(id !== undefined && { identity: `${id} ${JSON.stringify(body)}` }),
      ...(notes !== undefined && { description: notes, isEvent: true })
    }
    this.#found = 0
    if (systolicName in body || diastolicName in body) this.#pressure(common, body)
    const isNight = /sleep-episode/.test(kind)
    if (isNight) this.#night(common, body)
    const statistic = textAt(body, 'descriptive_statistic')
    for (const [member, value] of Object.entries(body)) {
      if (about.has(member) || member === systolicName || member === diastolicName) continue
      const known = values.get(member)
      const own = this.#kindOf(kind, member)
      if (member === 'activity_name' && typeof value === 'string')
        this.sink.datum({
          ...common,
          kind: own,
          type: 'activity/plain',
          stream: 'Activities',
          identity: common.identity ?? value,
          description: value
        })
      else if (known) this.#value({ ...common, kind: own }, member, known, value, statistic)
      // A night keeps what is said about it.
      else if (!isNight) this.sink.leftOut(own, 'of a kind without a type here')
    }
    if (this.#found === 0) this.sink.leftOut(kind, 'empty')
    else if (hasOddEnd) this.sink.leftOut(`${kind}, end`, 'of an end that cannot be read')
  }

  #kindOf(kind: string, member: string): string {
    return this.#found++ === 0 ? kind : `${kind} ${member}`
  }

  /** A statistic of values is no value of its own time: those have streams of their own. */
  #value(
    common: Common,
    member: string,
    known: Known,
    quantity: unknown,
    statistic: string | undefined
  ): void {
    const value = numberAt(quantity, 'value') ?? (typeof quantity === 'number' ? quantity : undefined)
    const unit = textAt(quantity, 'unit') ?? (member === 'step_count' ? 'steps' : '')
    if (value === undefined) {
      this.sink.leftOut(common.kind, 'without a number')
      return
    }
    const measure = known.count?.units.test(unit)
      ? { type: known.count.type }
      : known.of === undefined
        ? undefined
        : measureOf(unitOf(unit))
    if (!measure || (known.of !== undefined && !measure.type.startsWith(known.of))) {
      this.sink.leftOut(
        common.kind,
        unit === '' ? 'of a unit that is not known' : 'in a unit without a type here'
      )
      return
    }
    const content = scaled(value, measure.factor)
    const asleep = content * (secondsOfType[measure.type] ?? NaN)
    if (member === 'sleep_duration' && nightContent(asleep, common.duration).analysis === 'asleep')
      this.sink.datum({ ...common, type: 'sleep/analysis', stream: 'Sleep', content: { analysis: 'asleep' } })
    else {
      const stream = statistic === undefined ? known.stream : `${known.stream}, ${statistic}`
      this.sink.datum({ ...common, type: measure.type, stream, content })
    }
  }

  #pressure(common: Common, body: Json): void {
    const kind = this.#kindOf(common.kind, 'blood_pressure')
    const [systolic, diastolic] = [systolicName, diastolicName].map(name => numberAt(body, name, 'value'))
    const units = [systolicName, diastolicName].map(name => textAt(body, name, 'unit') ?? '')
    const statistic = textAt(body, 'descriptive_statistic')
    if (systolic === undefined || diastolic === undefined)
      this.sink.leftOut(kind, 'half of a measurement whose other half is missing')
    else if (!units.every(unit => measureOf(unit)?.type === 'pressure/mmhg'))
      this.sink.leftOut(kind, 'in a unit without a type here')
    else
      this.sink.datum({
        ...common,
        kind,
        type: 'blood-pressure/mmhg-bpm',
        stream: statistic === undefined ? 'Blood pressure' : `Blood pressure, ${statistic}`,
        content: { systolic, diastolic }
      })
  }

  #night(common: Common, body: Json): void {
    const asleep = secondsIn(at(body, 'total_sleep_time'))
    this.sink.datum({
      ...common,
      kind: this.#kindOf(common.kind, 'episode'),
      type: 'sleep/analysis',
      stream: 'Sleep',
      content: nightContent(asleep, common.duration),
      clientData: { 'omh:body': body }
    })
  }
}

/** Seconds of a value of a type. */
const secondsOfType: Readonly<Record<string, number>> = {
  'time/s': 1,
  'time/min': 60,
  'time/h': 3600,
  'time/d': 86_400
}

/** Units that are written in another way here. */
function unitOf(unit: string): string {
  return unit === 'C' ? 'degc' : unit === 'F' ? 'degf' : unit
}

/** Seconds of units of time; months and years are of different lengths. */
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

interface Span {
  readonly time: number
  readonly duration?: number
  /** Whether there is an end, or a length, that cannot be read. */
  readonly hasOddEnd: boolean
}

function spanOf(frame: unknown, zone: string | undefined): Span {
  const instant = textAt(frame, 'date_time')
  if (instant !== undefined) return { time: isoTime(instant, zone), hasOddEnd: false }
  const interval = at(frame, 'time_interval')
  const [start, end] = [textAt(interval, 'start_date_time'), textAt(interval, 'end_date_time')].map(text =>
    isoTime(text ?? '', zone)
  ) as [number, number]
  const length = at(interval, 'duration')
  const duration = length === undefined ? end - start : secondsIn(length)
  const time = Number.isNaN(start) ? end - duration : start
  const hasEnd = length !== undefined || at(interval, 'end_date_time') !== undefined
  return { time, ...(duration > 0 && { duration }), hasOddEnd: hasEnd && !(duration >= 0) }
}

/** Seconds of a quantity of time; `NaN` where that is not certain. */
function secondsIn(quantity: unknown): number {
  const unit = textAt(quantity, 'unit') ?? ''
  return (numberAt(quantity, 'value') ?? NaN) * (Object.hasOwn(seconds, unit) ? seconds[unit]! : NaN)
}
