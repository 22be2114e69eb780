/** Metrics of Health Auto Export: values by their names and units, blood pressures, and sleep by stages or by nights. */
import type { Reason } from '../../reasons.js'
import type { Datum, Sink } from '../../record.js'
import { certainTime } from '../../text/cell-times.js'
import { measureOf, scaled } from '../../text/units.js'
import { numberAt, textAt, type Json } from '../json-files.js'
import { nightContent } from '../sleep.js'

/** Reads a time: with AM or PM where the phone has a clock of twelve hours. */
export function timeIn(text: string | undefined, zone: string | undefined): number {
  return text === undefined ? NaN : certainTime(text, zone)
}

/** A name such as `step_count` or `stepCount` in words. */
export function wordsIn(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/^vo2/, 'VO2')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What is counted by the minute: of other names, such a unit tells no type. */
const perMinute: Readonly<Record<string, string>> = {
  heart_rate: 'frequency/bpm',
  resting_heart_rate: 'frequency/bpm',
  walking_heart_rate: 'frequency/bpm',
  walking_heart_rate_average: 'frequency/bpm',
  cardio_recovery: 'frequency/bpm',
  respiratory_rate: 'frequency/brpm',
  cycling_cadence: 'frequency/rpm',
  heartRateData: 'frequency/bpm',
  heartRateRecovery: 'frequency/bpm',
  cyclingCadence: 'frequency/rpm'
}
/** What is counted. */
const counts: Readonly<Record<string, string>> = {
  step_count: 'count/steps',
  stepCount: 'count/steps',
  body_mass_index: 'pressure/kg-m2'
}
/** Percentages that are never 1 or less: one who writes that means something else. */
const large: ReadonlySet<string> = new Set(['blood_oxygen_saturation', 'body_fat_percentage'])

/** Returns a value by its type, or why it has none. The app writes percentages from 0 to 100. */
function quantityIn(name: string, unit: string, value: number): Pick<Datum, 'type' | 'content'> | Reason {
  const rate = Object.hasOwn(perMinute, name) ? perMinute[name] : undefined
  if (rate !== undefined) {
    if (!/^(?:count(?:\/min)?|bpm|rpm|(?:beats|breaths)\/min)$/i.test(unit))
      return 'in a unit without a type here'
    return value === 0 && rate !== 'frequency/rpm'
      ? 'zero, which means that nothing was measured'
      : { type: rate, content: value }
  }
  const count = Object.hasOwn(counts, name) ? counts[name] : undefined
  if (count !== undefined && /^(?:count|steps|kg\/m2)$/.test(unit)) return { type: count, content: value }
  const measure = measureOf(unit)
  if (unit === '') return 'of a unit that is not known'
  if (!measure || measure.type.startsWith('frequency/')) return 'in a unit without a type here'
  if (large.has(name) && value <= 1) return 'of a value that is impossible for what it measures'
  return { type: measure.type, content: scaled(value, measure.factor) }
}

/** Members of values by what they are, the first of which counts as the record itself. */
const numbers: readonly (readonly [member: string, part: string])[] = [
  ['qty', ''],
  ['Avg', ''],
  ['Min', ', lowest'],
  ['Max', ', highest']
]
/** What is said about a value, and kept with it. */
const contexts = ['mealTime', 'reason', 'value'] as const
const read: ReadonlySet<string> = new Set([
  ...numbers.map(([member]) => member),
  ...contexts,
  'date',
  'startDate',
  'endDate',
  'start',
  'end',
  'source',
  'units',
  'id'
])
const stages: Readonly<Record<string, string>> = {
  'in bed': 'inBed',
  inbed: 'inBed',
  asleep: 'asleep',
  core: 'asleep',
  deep: 'asleep',
  rem: 'asleep',
  unspecified: 'asleep',
  awake: 'awake'
}
/** Hours of a night. */
const ofNight: readonly (readonly [member: string, stream: string])[] = [
  ['totalSleep', 'Time asleep'],
  ['asleep', 'Unspecified sleep'],
  ['core', 'Core sleep'],
  ['deep', 'Deep sleep'],
  ['rem', 'REM sleep'],
  ['awake', 'Time awake'],
  ['inBed', 'Time in bed']
]
const protection: readonly (readonly [member: string, content: string])[] = [
  ['Unspecified', 'notSet'],
  ['Protection Used', 'protectionUsed'],
  ['Protection Not Used', 'protectionNotUsed']
]
/** Times a day that are believed. */
const mostTimes = 50

type Common = Pick<Datum, 'kind' | 'source' | 'time' | 'duration'>

export class Metrics {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  /** Reads a value of a metric. */
  value(name: string, units: string, object: Json): void {
    const time = this.#time(object, 'date', 'startDate', 'start')
    const end = this.#time(object, 'endDate', 'end')
    const source = textAt(object, 'source') ?? ''
    const common = { kind: name, source, time, ...(end > time && { duration: end - time }) }
    if (name === 'sleep_analysis' && !('value' in object)) this.#night(units, { ...common, time }, object)
    else if (Number.isNaN(time)) this.sink.leftOut(name, 'without a time')
    else if (name === 'sleep_analysis') this.#stage(common, object)
    else if (name === 'blood_pressure') this.#pressure(common, units, object)
    else if (name === 'sexual_activity') this.#sexualActivity(common, object)
    else this.quantities(common, name, units, wordsIn(name), object)
  }

  /** Reads the numbers of an object, which are each a record. */
  quantities(common: Common, name: string, units: string, stream: string, object: Json): void {
    const context = contexts.flatMap(member => {
      const said = textAt(object, member)
      return said === undefined || said === 'Unspecified' ? [] : [[member, said] as const]
    })
    const kept = context.length > 0 && {
      isEvent: true,
      clientData: { 'health-auto-export:value': Object.fromEntries(context) }
    }
    let found = 0
    for (const [member, part] of numbers) {
      const value = numberAt(object, member)
      if (value === undefined) continue
      const kind = found++ === 0 ? common.kind : `${common.kind} ${member}`
      const quantity = quantityIn(name, units, value)
      if (typeof quantity === 'string') this.sink.leftOut(kind, quantity)
      else this.sink.datum({ ...common, kind, stream: `${stream}${part}`, ...quantity, ...kept })
    }
    if (found === 0) this.sink.leftOut(common.kind, 'without a number')
    for (const [member, value] of Object.entries(object))
      if (!read.has(member) && value !== null && value !== '')
        this.sink.leftOut(`${common.kind} ${member}`, 'of a kind without a type here')
  }

  #time(object: Json, ...members: readonly string[]): number {
    for (const member of members) {
      const text = textAt(object, member)
      if (text !== undefined) return certainTime(text, this.zone)
    }
    return NaN
  }

  #pressure(common: Common, units: string, object: Json): void {
    const [systolic, diastolic] = [numberAt(object, 'systolic'), numberAt(object, 'diastolic')]
    if (!systolic && !diastolic) this.sink.leftOut(common.kind, 'without a number')
    else if (!systolic || !diastolic)
      this.sink.leftOut(common.kind, 'half of a measurement whose other half is missing')
    else if (!/^mmhg$/i.test(units)) this.sink.leftOut(common.kind, 'in a unit without a type here')
    else
      this.sink.datum({
        ...common,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic }
      })
  }

  #sexualActivity(common: Common, object: Json): void {
    let isEmpty = true
    for (const [member, content] of protection) {
      const times = numberAt(object, member) ?? 0
      if (times === 0) continue
      isEmpty = false
      if (!Number.isInteger(times) || times < 0 || times > mostTimes) {
        this.sink.leftOut(common.kind, 'of a value that is impossible for what it measures')
        continue
      }
      for (let at = 0; at < times; at++)
        this.sink.datum({
          ...common,
          type: 'reproductive-health/sexual-activity',
          stream: 'Sexual activity',
          content,
          identity: `${content} ${at}`
        })
    }
    if (isEmpty) this.sink.leftOut(common.kind, 'zero, which stands for none')
  }

  #stage(common: Common, object: Json): void {
    const stage = textAt(object, 'value') ?? ''
    const word = stage.toLowerCase()
    const analysis = Object.hasOwn(stages, word) ? stages[word] : undefined
    if (analysis === undefined) this.sink.leftOut(common.kind, 'of a kind without a type here')
    else
      this.sink.datum({
        ...common,
        type: 'sleep/analysis',
        stream: 'Sleep',
        identity: stage,
        content: { analysis },
        clientData: { 'health-auto-export:stage': stage }
      })
  }

  /** A night as a sum: its hours, and when somebody was in bed. That is no sleep throughout, unless the hours say so. */
  #night(units: string, { kind, source, time }: Common, object: Json): void {
    const spans = ['sleep', 'inBed'].map(name => {
      const [start, end] = [this.#time(object, `${name}Start`), this.#time(object, `${name}End`)]
      return end > start ? { source, time: start, duration: end - start } : undefined
    })
    const [asleep, inBed] = spans
    const day = Number.isNaN(time) ? undefined : { source, time }
    const measure = measureOf(units)
    const hours = measure?.type === 'time/h'
    let found = 0
    for (const [member, stream] of ofNight) {
      const content = numberAt(object, member)
      if (content === undefined) continue
      const own = found++ === 0 ? kind : `${kind} ${member}`
      const span = (member === 'inBed' ? inBed : asleep) ?? asleep ?? inBed ?? day
      const isTotal = member === 'asleep' && !('totalSleep' in object)
      if (!span) this.sink.leftOut(own, 'without a time')
      else if (!hours) this.sink.leftOut(own, 'in a unit without a type here')
      else if (content === 0) this.sink.leftOut(own, 'zero, which stands for none')
      else
        this.sink.datum({
          kind: own,
          ...span,
          type: 'time/h',
          stream: isTotal ? 'Time asleep' : stream,
          content
        })
    }
    const total = numberAt(object, 'totalSleep') ?? numberAt(object, 'asleep') ?? 0
    const nights = [
      asleep && { ...asleep, content: nightContent(hours ? total * 3600 : undefined, asleep.duration) },
      inBed && { ...inBed, content: nightContent(undefined, inBed.duration) }
    ].filter(night => night !== undefined)
    // Without a time in bed, from falling asleep to waking up stands for it.
    const told = nights.filter(({ content }, at) => at > 0 || !inBed || content.analysis === 'asleep')
    for (const night of told)
      this.sink.datum({ kind: `${kind} span`, ...night, type: 'sleep/analysis', stream: 'Sleep' })
    if (found === 0 && told.length === 0) this.sink.leftOut(kind, 'without a number')
  }
}
