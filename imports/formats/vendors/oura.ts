/** Oura's export: one JSON of lists by name, or one table for each of them with JSON in its cells. */
import type { Format, Head, Sink } from '../../record.js'
import { parsed } from '../../text/json.js'
import { isoTime } from '../../text/times.js'
import { at, eachObject, isJson, listAt, numberAt, textAt, type Json } from '../json-files.js'
import { columnsOf, eachNamedRow } from '../../text/named-tables.js'

/** Names of lists at the top of the JSON. */
const lists =
  /^\s*\{\s*"(?:daily_[a-z0-9_]+|sleep|sleep_time|activity|readiness|heart_?rate|workout|session|ideal_bedtime|ideal_bedtimes|enhanced_tag|ring_configuration|ring_battery_level|restful_periods|rest_mode_period|vO2_max|vo2_max|tag|profile|data)"\s*:/
/** Members that only its records have. */
const members =
  /"(?:bedtime_start|readiness_score_delta|score_alignment|hypnogram_5min|sleep_phase_5_min|class_5_?min|equivalent_walking_distance|breathing_disturbance_index|spo2_percentage|temperature_deviation|contributors|low_activity_met_minutes|cal_active)"/
/** Beats with what somebody was doing: not far apart, so that looking for them stays quick. */
const beats =
  /"bpm"\s{0,9}:\s{0,9}\d{1,4}[^{}]{0,200}"source"\s{0,9}:\s{0,9}"(?:awake|rest|sleep|live|session|workout)"/

/** Columns of its tables, each enough to tell. */
const tables: readonly (readonly string[])[] = [
  ['timestamp', 'bpm', 'source'],
  ['timestamp', 'skin_temp'],
  ['bedtime_start', 'bedtime_end', 'day'],
  ['day', 'contributors', 'score'],
  ['day', 'spo2_percentage'],
  ['day', 'equivalent_walking_distance'],
  ['day', 'stress_high', 'recovery_high'],
  ['day', 'vo2_max'],
  ['start_datetime', 'end_datetime', 'activity'],
  ['start_datetime', 'end_datetime', 'day']
]

export const oura: Format = {
  id: 'oura',
  name: 'Oura',
  recognises: head =>
    isJson(head)
      ? lists.test(head.text) && (members.test(head.text) || beats.test(head.text))
      : delimiterIn(head) !== undefined,
  async read(source, head, sink, { options }) {
    const reader = new Reader(options.zone, sink)
    const delimiter = delimiterIn(head)
    if (isJson(head) || delimiter === undefined)
      await eachObject(
        source,
        head,
        sink,
        path => path.length === 1,
        (object, path) => reader.read(object, path[0]!)
      )
    else {
      const list = listIn(head.name)
      await eachNamedRow(source, head, delimiter, list, sink, row => {
        const object = Object.fromEntries(
          [...row].map(([name, cell]) => [name, /^[[{]/.test(cell) ? (parsed(cell) ?? cell) : cell])
        )
        reader.read(object, list)
      })
    }
  }
}

function delimiterIn(head: Head): string | undefined {
  return [';', ','].find(delimiter => {
    const columns = new Set(columnsOf(head, delimiter))
    return tables.some(names => names.every(name => columns.has(name)))
  })
}

/** What a table holds, by its name, which only counts. */
function listIn(name: string): string {
  const own = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  return own.endsWith('.csv') && own.length > 4 ? own.slice(0, -4) : 'row'
}

/** What stages of sleep and days are told by. */
const sleepNumbers = [
  'total_sleep_duration',
  'deep_sleep_duration',
  'light_sleep_duration',
  'rem_sleep_duration',
  'awake_time',
  'time_in_bed',
  'latency',
  'efficiency',
  'average_breath',
  'average_heart_rate',
  'average_hrv',
  'lowest_heart_rate',
  // Names of the older export.
  'total',
  'deep',
  'light',
  'rem',
  'awake',
  'onset_latency',
  'breath_average',
  'hr_average',
  'hr_lowest',
  'rmssd'
]

class Reader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  /** Records are told by their members: names of lists differ between years. */
  read(object: Json, kind: string): void {
    if ('bedtime_start' in object) this.#sleep(object, kind)
    else if ('bpm' in object)
      this.#value(object, kind, 'frequency/bpm', 'Heart rate', numberAt(object, 'bpm'))
    else if ('skin_temp' in object)
      this.#value(object, kind, 'temperature/c', 'Skin temperature', numberAt(object, 'skin_temp'))
    else if ('spo2_percentage' in object)
      this.#value(
        object,
        kind,
        'ratio/percent',
        'Oxygen saturation',
        numberAt(object, 'spo2_percentage', 'average')
      )
    else if ('vo2_max' in object)
      this.#value(object, kind, 'gas-consumption/mlpkgmin', 'VO2 max', numberAt(object, 'vo2_max'))
    else if ('steps' in object) this.#day(object, kind)
    else if ('start_datetime' in object) this.#activity(object, kind)
    else if ('score' in object || 'contributors' in object)
      this.sink.leftOut(kind, 'a score of its maker, which is no measurement')
    else this.sink.leftOut(kind, 'of a kind without a type here')
  }

  #timeOf(object: Json): number {
    return isoTime(textAt(object, 'timestamp') ?? textAt(object, 'day') ?? '', this.zone)
  }

  #value(object: Json, kind: string, type: string, stream: string, value: number | undefined): void {
    if (!value) this.sink.leftOut(kind, 'without a number')
    else this.sink.datum({ kind, source: '', type, stream, time: this.#timeOf(object), content: value })
  }

  #sleep(object: Json, kind: string): void {
    const time = isoTime(textAt(object, 'bedtime_start') ?? '', this.zone)
    const end = isoTime(textAt(object, 'bedtime_end') ?? '', this.zone)
    const numbers = sleepNumbers.flatMap(name => {
      const value = numberAt(object, name)
      return value === undefined ? [] : [[name, value] as const]
    })
    const type = textAt(object, 'type')
    this.sink.datum({
      kind,
      source: '',
      type: 'sleep/analysis',
      stream: 'Sleep',
      time,
      duration: end > time ? end - time : undefined,
      content: { analysis: 'asleep' },
      identity: `${end}`,
      clientData: { 'oura:sleep': { ...Object.fromEntries(numbers), ...(type !== undefined && { type }) } }
    })
    this.#samples(`${kind} heart rate`, 'frequency/bpm', 'Heart rate', at(object, 'heart_rate'))
    this.#samples(`${kind} hrv`, 'time/ms', 'Heart rate variability', at(object, 'hrv'))
    this.#fives(`${kind} heart rate`, 'frequency/bpm', 'Heart rate', time, listAt(object, 'hr_5min'))
    this.#fives(`${kind} hrv`, 'time/ms', 'Heart rate variability', time, listAt(object, 'rmssd_5min'))
  }

  /** `{interval, items, timestamp}`; items may be missing. */
  #samples(kind: string, type: string, stream: string, samples: unknown): void {
    const start = isoTime(textAt(samples, 'timestamp') ?? '', this.zone)
    const interval = numberAt(samples, 'interval') ?? NaN
    for (const [index, value] of listAt(samples, 'items').entries())
      this.#sample(kind, type, stream, start + index * interval, value)
  }

  /** One value each five minutes from going to bed. */
  #fives(kind: string, type: string, stream: string, start: number, values: readonly unknown[]): void {
    for (const [index, value] of values.entries())
      this.#sample(kind, type, stream, start + index * 300, value)
  }

  #sample(kind: string, type: string, stream: string, time: number, value: unknown): void {
    if (typeof value !== 'number' || value === 0 || (type === 'frequency/bpm' && value === 255))
      this.sink.leftOut(kind, 'empty')
    else this.sink.datum({ kind, source: '', type, stream, time, content: value })
  }

  /** Sums of a day, which begins at midnight unless it says otherwise. */
  #day(object: Json, kind: string): void {
    const time = isoTime(
      textAt(object, 'day_start') ?? textAt(object, 'timestamp') ?? textAt(object, 'day') ?? '',
      this.zone
    )
    const end = isoTime(textAt(object, 'day_end') ?? '', this.zone)
    const duration = end > time ? Math.round(end - time) : 86_400
    const sums = [
      ['count/steps', 'Steps', numberAt(object, 'steps')],
      ['energy/kcal', 'Active energy', numberAt(object, 'active_calories') ?? numberAt(object, 'cal_active')],
      ['length/m', 'Walking distance', numberAt(object, 'equivalent_walking_distance')]
    ] as const
    let isFirst = true
    for (const [type, stream, value] of sums) {
      if (value === undefined) continue
      const own = isFirst ? kind : `${kind}, ${stream.toLowerCase()}`
      this.sink.datum({ kind: own, source: '', type, stream, time, duration, content: value })
      isFirst = false
    }
    if (isFirst) this.sink.leftOut(kind, 'without a number')
  }

  #activity(object: Json, kind: string): void {
    const time = isoTime(textAt(object, 'start_datetime') ?? '', this.zone)
    const end = isoTime(textAt(object, 'end_datetime') ?? '', this.zone)
    const name = textAt(object, 'activity') ?? textAt(object, 'type') ?? ''
    const told = ['calories', 'distance', 'intensity', 'mood', 'label'].flatMap(member =>
      object[member] === undefined || object[member] === null ? [] : [[member, object[member]] as const]
    )
    this.sink.datum({
      kind,
      source: '',
      type: 'activity/plain',
      stream: 'Activities',
      time,
      duration: end > time ? end - time : undefined,
      identity: name,
      description: name === '' ? undefined : name,
      clientData: { 'oura:activity': Object.fromEntries(told) }
    })
  }
}
