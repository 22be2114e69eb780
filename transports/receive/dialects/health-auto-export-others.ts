/** Reads what Health Auto Export sends besides metrics: workouts, electrocardiograms, moods, symptoms, medications, the cycle. */
import { mapCategory } from '../../../imports/formats/apple/types.js'
import { getList, getNumber, getText, isObject, type Json } from '../../../imports/formats/json-files.js'
import { MetricReader, parseTime } from '../../../imports/formats/vendors/health-auto-export-metrics.js'
import {
  toMedication,
  toMood,
  toSymptom,
  WorkoutReader
} from '../../../imports/formats/vendors/health-auto-export-records.js'
import type { ReceivedRecord } from '../dialect.js'
import type { ItemSink } from './item-sink.js'

type Base = Pick<ReceivedRecord, 'source' | 'time' | 'duration'>

/** Volts per unit of voltage. */
const voltsPerUnit: ReadonlyMap<string, number> = new Map([
  ['V', 1],
  ['mV', 1e-3],
  ['mcV', 1e-6],
  ['uV', 1e-6],
  ['µV', 1e-6],
  ['μV', 1e-6]
])

export class OtherReader {
  readonly #workouts: WorkoutReader

  constructor(
    private readonly items: ItemSink,
    private readonly isSensitive: boolean
  ) {
    this.#workouts = new WorkoutReader(undefined, items, new MetricReader(undefined, items))
  }

  /**
   * Reads an entry of the list with this name into the sink. An entry without a time, or of an unknown list, adds
   * nothing. Those of the cycle are ignored unless the user stores sensitive data.
   */
  read(list: string, item: Json): void {
    const time = parseTime(
      getText(item, 'start') ?? getText(item, 'scheduledDate') ?? getText(item, 'date'),
      undefined
    )
    const end = parseTime(getText(item, 'end'), undefined)
    const base = { source: getText(item, 'source') ?? '', time, ...(end > time && { duration: end - time }) }
    if (list === 'cycleTracking' && !this.isSensitive) this.items.ignore()
    else this.items.read(list, () => !Number.isNaN(time) && this.#readItem(list, base, item))
  }

  #readItem(list: string, base: Base, item: Json): void {
    if (list === 'workouts') this.#addWorkout(base, item)
    else if (list === 'ecg') this.#addEcg(base, item)
    else if (list === 'symptoms') {
      if (!this.#addCategory(base, toSymptomKind(item))) this.#addContent(list, base, toSymptom(item))
    } else if (list === 'cycleTracking') this.#addCategory(base, toCycleKind(item))
    else if (list === 'stateOfMind') this.#addContent(list, base, toMood(item))
    else if (list === 'medications') this.#addContent(list, base, toMedication(item))
  }

  /** Adds what a reader of files has made of an entry, unless it is the reason to skip it. */
  #addContent(kind: string, base: Base, content: ReturnType<typeof toMood>): void {
    if (typeof content !== 'string') this.items.add({ kind, isEvent: true, ...base, ...content })
  }

  /** Adds a workout: the values of its lists, then itself with what else it says. */
  #addWorkout(base: Base, workout: Json): void {
    const details: [string, unknown][] = []
    for (const [name, value] of Object.entries(workout)) {
      if (!Array.isArray(value)) details.push([name, value])
      else for (const each of value) if (isObject(each)) this.#workouts.addListValue(name, each)
    }
    const source = base.source || findSource(workout)
    const activity = toActivity(getText(workout, 'name') ?? '')
    this.#workouts.addWorkout(
      { kind: 'workouts', ...base, source },
      Object.fromEntries(details),
      activity === '' ? undefined : activity
    )
  }

  /** Adds the voltages of an electrocardiogram, as Apple's export has them, and its result. */
  #addEcg(base: Base, ecg: Json): void {
    const { time: start } = base
    const rate = getNumber(ecg, 'samplingFrequency') ?? 0
    const voltages = getList(ecg, 'voltageMeasurements')
    if (rate > 0)
      for (const [index, each] of voltages.entries()) {
        const voltage = getNumber(each, 'voltage')
        const factor = voltsPerUnit.get(getText(each, 'units') ?? '')
        if (voltage === undefined || factor === undefined) continue
        this.items.add({
          kind: 'Electrocardiogram',
          source: '',
          type: 'electromotive-force/v',
          stream: 'Electrocardiograms',
          time: start + index / rate,
          content: Number((voltage * factor).toPrecision(12)),
          track: `ecg ${start}`
        })
      }
    const { source: _source, start: _start, end: _end, voltageMeasurements: _list, ...rest } = ecg
    this.items.add({
      kind: 'ecg',
      ...base,
      type: 'note/txt',
      stream: 'Electrocardiogram results',
      content: getText(ecg, 'classification') ?? 'Electrocardiogram',
      identity: '',
      clientData: { 'health-auto-export:ecg': rest }
    })
  }

  /** Adds a category as Apple's export writes it. Returns false if there is no type for it. */
  #addCategory(base: Base, named: { readonly kind: string; readonly value: string } | undefined): boolean {
    const category = named && mapCategory(named.kind, named.value)
    if (category) this.items.add({ kind: named.kind, ...base, identity: named.value, ...category })
    return category !== undefined
  }
}

/** Returns the source of most values of a workout, which names none itself. */
function findSource(workout: Json): string {
  const counts = new Map<string, number>()
  for (const list of Object.values(workout))
    for (const each of Array.isArray(list) ? (list as readonly unknown[]) : []) {
      const source = getText(each, 'source') ?? ''
      if (source !== '' && !source.includes('|')) counts.set(source, (counts.get(source) ?? 0) + 1)
    }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
  return most?.[0] ?? ''
}

/** Activities of HealthKit by the last word of the names that people see. */
const activities: ReadonlyMap<string, string> = new Map([
  ['Walk', 'Walking'],
  ['Run', 'Running'],
  ['Cycle', 'Cycling'],
  ['Swim', 'Swimming'],
  ['Rower', 'Rowing'],
  ['Row', 'Rowing']
])

/** Returns the activity that Apple's export has for a workout: `Walking` for `Outdoor Walk`. */
function toActivity(name: string): string {
  const activity = toPascalCase(name.replace(/^(?:outdoor|indoor|pool|open water)\s+/i, ''))
  return activities.get(activity) ?? activity
}

/** Returns words as a name of HealthKit: `not present` and `notPresent` become `NotPresent`. */
function toPascalCase(words: string): string {
  return words
    .split(/[\s_-]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Symptoms that are present or not, without a severity. */
const presences: ReadonlySet<string> = new Set(['Present', 'NotPresent'])

/** Returns the kind and the value of a symptom. */
function toSymptomKind(symptom: Json): { kind: string; value: string } | undefined {
  const kind = toPascalCase(getText(symptom, 'name') ?? '')
  const severity = toPascalCase(getText(symptom, 'severity') ?? '')
  if (kind === '' || severity === '') return undefined
  const isPresence = presences.has(severity) && (kind === 'MoodChanges' || kind === 'SleepChanges')
  return {
    kind,
    value: `HKCategoryValue${isPresence || severity === 'Present' ? 'Presence' : 'Severity'}${severity}`
  }
}

/** Returns the kind and the value of a menstrual flow. */
function toCycleKind(record: Json): { kind: string; value: string } | undefined {
  const kind = toPascalCase(getText(record, 'name') ?? '')
  const value = toPascalCase(getText(record, 'value') ?? '')
  return kind === 'MenstrualFlow' ? { kind, value: `HKCategoryValueMenstrualFlow${value}` } : undefined
}
