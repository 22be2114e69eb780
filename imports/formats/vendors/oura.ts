/** Reads Oura's export: one JSON file of lists by name, or one table per list with JSON in its cells. */
import type { Format, FileHead, Sink } from '../../record.js'
import { parseJson } from '../../text/object-scanner.js'
import { getDayLength, parseIsoTime } from '../../text/times.js'
import {
  getMember,
  readObjects,
  isJson,
  skipUnread,
  getList,
  getNumber,
  getNumbers,
  getText,
  type Json
} from '../json-files.js'
import { buildNightRecord } from '../../night-record.js'
import { readColumnNames, readNamedRows } from '../../text/named-tables.js'

/** Matches the names of the lists in the JSON file. */
const listNames =
  /^\s*\{\s*"(?:daily_[a-z0-9_]+|sleep|sleep_time|activity|readiness|heart_?rate|workout|session|ideal_bedtime|ideal_bedtimes|enhanced_tag|ring_configuration|ring_battery_level|restful_periods|rest_mode_period|vO2_max|vo2_max|tag|profile|data)"\s*:/
/** Matches members that only Oura's records have. */
const distinctiveMembers =
  /"(?:bedtime_start|readiness_score_delta|score_alignment|hypnogram_5min|sleep_phase_5_min|class_5_?min|equivalent_walking_distance|breathing_disturbance_index|spo2_percentage|temperature_deviation|contributors|low_activity_met_minutes|cal_active)"/
/** Matches heart rates with Oura's sources. The distance is limited, so that the search stays fast. */
const heartRatePattern =
  /"bpm"\s{0,9}:\s{0,9}\d{1,4}[^{}]{0,200}"source"\s{0,9}:\s{0,9}"(?:awake|rest|sleep|live|session|workout)"/

/** Columns of its tables. Each set identifies a table of Oura. */
const tableColumns: readonly (readonly string[])[] = [
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
      ? listNames.test(head.text) && (distinctiveMembers.test(head.text) || heartRatePattern.test(head.text))
      : detectDelimiter(head) !== undefined,
  async read(source, head, sink, { options }) {
    const reader = new OuraReader(options.zone, sink)
    const delimiter = detectDelimiter(head)
    if (isJson(head) || delimiter === undefined)
      await readObjects(
        source,
        head,
        sink,
        path => path.length === 1,
        (object, path) => reader.read(object, path[0]!)
      )
    else {
      const list = getListName(head.name)
      await readNamedRows(source, head, delimiter, list, sink, row => {
        const object = Object.fromEntries(
          [...row].map(([name, cell]) => [name, /^[[{]/.test(cell) ? (parseJson(cell) ?? cell) : cell])
        )
        reader.read(object, list)
      })
    }
  }
}

function detectDelimiter(head: FileHead): string | undefined {
  return [';', ','].find(delimiter => {
    const columns = new Set(readColumnNames(head, delimiter))
    return tableColumns.some(names => names.every(name => columns.has(name)))
  })
}

/** Returns the kind of a table's records, by its file name; only used for counts. */
function getListName(name: string): string {
  const fileName = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  return fileName.endsWith('.csv') && fileName.length > 4 ? fileName.slice(0, -4) : 'row'
}

/** Members of a night that are kept with it. */
const nightMembers = [
  'total_sleep_duration deep_sleep_duration light_sleep_duration rem_sleep_duration awake_time',
  'time_in_bed latency efficiency average_breath average_heart_rate average_hrv lowest_heart_rate',
  'total deep light rem awake onset_latency breath_average hr_average hr_lowest rmssd'
].flatMap(names => names.split(' '))

const scoreReason = 'a score of its maker, which is no measurement'
/** Sleep stages by the digits of a hypnogram. */
const stagesByDigit: Readonly<Record<string, string>> = { 1: 'deep', 2: 'light', 3: 'rem', 4: 'awake' }
/** Members that identify a record and its time. */
const contextMembers: ReadonlySet<string> = new Set([
  'id',
  'day',
  'timestamp',
  'timezone',
  'summary_date',
  'period_id',
  'bedtime_start',
  'bedtime_end',
  'day_start',
  'day_end',
  'start_datetime',
  'end_datetime'
])

class OuraReader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  /** Adds a record. Its kind is detected by its members, as names of lists differ between years. */
  read(object: Json, kind: string): void {
    if ('bedtime_start' in object) this.#addNight(object, kind)
    else if ('bpm' in object) this.#addValue(object, kind, 'frequency/bpm', 'Heart rate', 'bpm')
    else if ('skin_temp' in object)
      this.#addValue(object, kind, 'temperature/c', 'Skin temperature', 'skin_temp')
    else if ('spo2_percentage' in object)
      this.#addValue(object, kind, 'ratio/percent', 'Oxygen saturation', 'spo2_percentage', 'average')
    else if ('vo2_max' in object)
      this.#addValue(object, kind, 'gas-consumption/mlpkgmin', 'VO2 max', 'vo2_max')
    else if ('steps' in object) this.#addDay(object, kind)
    else if ('start_datetime' in object) this.#addActivity(object, kind)
    else if ('score' in object || 'contributors' in object) this.sink.skip(kind, scoreReason)
    else this.sink.skip(kind, 'of a kind without a type here')
  }

  #getTime(object: Json): number {
    return parseIsoTime(getText(object, 'timestamp') ?? getText(object, 'day') ?? '', this.zone)
  }

  #addValue(object: Json, kind: string, type: string, stream: string, ...path: readonly string[]): void {
    const value = getNumber(object, ...path)
    if (value === undefined) this.sink.skip(kind, 'without a number')
    else if (value === 0) this.sink.skip(kind, 'zero, which means that nothing was measured')
    else this.sink.addRecord({ kind, source: '', type, stream, time: this.#getTime(object), content: value })
    this.#skipOthers(object, kind, [path[0]!])
  }

  /** Adds a night, its stages, heart rates and their variability. Rest is not added as sleep. */
  #addNight(object: Json, kind: string): void {
    const time = parseIsoTime(getText(object, 'bedtime_start') ?? '', this.zone)
    const end = parseIsoTime(getText(object, 'bedtime_end') ?? '', this.zone)
    const duration = end > time ? end - time : undefined
    const numbers = getNumbers(object, nightMembers)
    const type = getText(object, 'type')
    // Records that the user deleted in Oura are skipped.
    if (type === 'deleted') {
      this.sink.skip(kind, 'marked as entered in error')
      return
    }
    // Rest is not sleep, but its heart rate is valid.
    const isSleep = type !== 'rest'
    if (isSleep) {
      const asleep = getNumber(object, 'total_sleep_duration') ?? getNumber(object, 'total')
      const clientData = { 'oura:sleep': { ...numbers, ...(type !== undefined && { type }) } }
      this.sink.addRecord(buildNightRecord({ kind, time, duration, asleep, identity: `${end}`, clientData }))
    } else this.sink.skip(kind, 'of a kind without a type here')
    const phases = getText(object, 'sleep_phase_5_min') ?? getText(object, 'hypnogram_5min') ?? ''
    this.#addStages(`${kind} stage`, time, end, phases, isSleep)
    this.#addSamples(`${kind} heart rate`, 'frequency/bpm', 'Heart rate', getMember(object, 'heart_rate'))
    this.#addSamples(`${kind} hrv`, 'time/ms', 'Heart rate variability', getMember(object, 'hrv'))
    this.#addFives(`${kind} heart rate`, 'frequency/bpm', 'Heart rate', time, getList(object, 'hr_5min'))
    this.#addFives(`${kind} hrv`, 'time/ms', 'Heart rate variability', time, getList(object, 'rmssd_5min'))
    this.#skipOthers(object, kind, [
      ...Object.keys(numbers),
      'type',
      'heart_rate',
      'hrv',
      'hr_5min',
      'rmssd_5min',
      'sleep_phase_5_min',
      'hypnogram_5min'
    ])
  }

  /** Adds sleep stages: one digit per five minutes from bedtime. Consecutive equal digits are one record. */
  #addStages(kind: string, start: number, end: number, phases: string, isSleep: boolean): void {
    for (const { 0: run, index } of phases.matchAll(/(.)\1*/g)) {
      const stage = isSleep && Object.hasOwn(stagesByDigit, run[0]!) ? stagesByDigit[run[0]!] : undefined
      const time = start + index * 300
      const stageEnd = Math.min(time + run.length * 300, end)
      if (stage === undefined) this.sink.skip(kind, 'of a kind without a type here')
      else
        this.sink.addRecord({
          kind,
          source: '',
          type: 'sleep/analysis',
          stream: 'Sleep',
          time,
          duration: stageEnd > time ? stageEnd - time : run.length * 300,
          identity: stage,
          content: { analysis: stage === 'awake' ? 'awake' : 'asleep' },
          clientData: { 'oura:stage': stage }
        })
    }
  }

  /** Counts as skipped the members that are not in `used`. */
  #skipOthers(object: Json, kind: string, used: readonly string[]): void {
    skipUnread(this.sink, kind, object, member => contextMembers.has(member) || used.includes(member))
  }

  /** Adds samples of the form `{interval, items, timestamp}`; items may be missing. */
  #addSamples(kind: string, type: string, stream: string, samples: unknown): void {
    const start = parseIsoTime(getText(samples, 'timestamp') ?? '', this.zone)
    const interval = getNumber(samples, 'interval') ?? NaN
    for (const [index, value] of getList(samples, 'items').entries())
      this.#addSample(kind, type, stream, start + index * interval, value)
  }

  /** Adds samples: one per five minutes from bedtime. */
  #addFives(kind: string, type: string, stream: string, start: number, values: readonly unknown[]): void {
    for (const [index, value] of values.entries())
      this.#addSample(kind, type, stream, start + index * 300, value)
  }

  #addSample(kind: string, type: string, stream: string, time: number, value: unknown): void {
    if (typeof value !== 'number') this.sink.skip(kind, 'empty')
    else if (value === 0) this.sink.skip(kind, 'zero, which means that nothing was measured')
    else if (type === 'frequency/bpm' && value === 255)
      this.sink.skip(kind, 'not measured, as the file itself says')
    else this.sink.addRecord({ kind, source: '', type, stream, time, content: value })
  }

  /** Adds the totals of a day, which begins at midnight unless the record says otherwise. */
  #addDay(object: Json, kind: string): void {
    const start = getText(object, 'day_start') ?? getText(object, 'timestamp') ?? getText(object, 'day') ?? ''
    const time = parseIsoTime(start, this.zone)
    const end = parseIsoTime(getText(object, 'day_end') ?? '', this.zone)
    const duration = end > time ? Math.round(end - time) : getDayLength(start, this.zone)
    // Older exports use another name for active energy, in the same unit.
    const energy = getNumber(object, 'active_calories') === undefined ? 'cal_active' : 'active_calories'
    const totals = [
      ['count/steps', 'Steps', 'steps'],
      ['energy/kcal', 'Active energy', energy],
      ['length/m', 'Walking distance', 'equivalent_walking_distance']
    ] as const
    let count = 0
    for (const [type, stream, member] of totals) {
      const value = getNumber(object, member)
      if (value === undefined && (object[member] ?? '') === '') continue
      const ownKind = count++ === 0 ? kind : `${kind}, ${stream.toLowerCase()}`
      if (value === undefined) this.sink.skip(ownKind, 'without a number')
      else this.sink.addRecord({ kind: ownKind, source: '', type, stream, time, duration, content: value })
    }
    if (count === 0) this.sink.skip(kind, 'without a number')
    this.#skipOthers(
      object,
      kind,
      totals.map(([, , member]) => member)
    )
  }

  /** Adds an activity with the samples taken during it. */
  #addActivity(object: Json, kind: string): void {
    const time = parseIsoTime(getText(object, 'start_datetime') ?? '', this.zone)
    const end = parseIsoTime(getText(object, 'end_datetime') ?? '', this.zone)
    const name = getText(object, 'activity') ?? getText(object, 'type') ?? ''
    const keptMembers = ['calories', 'distance', 'intensity', 'mood', 'label']
    const details = keptMembers.flatMap(member =>
      object[member] === undefined || object[member] === null ? [] : [[member, object[member]] as const]
    )
    this.sink.addRecord({
      kind,
      source: '',
      type: 'activity/plain',
      stream: 'Activities',
      time,
      duration: end > time ? end - time : undefined,
      identity: name,
      description: name === '' ? undefined : name,
      clientData: { 'oura:activity': Object.fromEntries(details) }
    })
    const [rates, variability] = [
      getMember(object, 'heart_rate'),
      getMember(object, 'heart_rate_variability')
    ]
    this.#addSamples(`${kind} heart rate`, 'frequency/bpm', 'Heart rate', rates)
    this.#addSamples(`${kind} hrv`, 'time/ms', 'Heart rate variability', variability)
    // The `type` of a named workout is how it was started.
    const nameMember = getText(object, 'activity') === undefined ? 'type' : 'activity'
    this.#skipOthers(object, kind, [...keptMembers, nameMember, 'heart_rate', 'heart_rate_variability'])
  }
}
