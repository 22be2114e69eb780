/** Reads metrics of Health Auto Export: values by name and unit, blood pressures, and sleep by stage or night. */
import type { SkipReason } from '../../skip-reasons.js'
import type { ImportedRecord, Sink } from '../../record.js'
import { parseUnambiguousTime } from '../../text/cell-times.js'
import { findMeasure, scaleValue } from '../../text/units.js'
import { getNumber, getText, type Json } from '../json-files.js'
import { getNightContent } from '../../night-record.js'

/**
 * Parses a time, with AM or PM if the phone uses a 12-hour clock. Returns `NaN` without a text, or if it is
 * unreadable or ambiguous.
 */
export function parseTime(text: string | undefined, zone: string | undefined): number {
  return text === undefined ? NaN : parseUnambiguousTime(text, zone)
}

/** Formats a name such as `step_count` or `stepCount` as words. */
export function formatWords(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/^vo2/, 'VO2')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Types of rates per minute, by name. For other names, "per minute" is ambiguous. */
const typesOfRates: Readonly<Record<string, string>> = {
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
/** Types of counts, by name. */
const typesOfCounts: Readonly<Record<string, string>> = {
  step_count: 'count/steps',
  stepCount: 'count/steps',
  body_mass_index: 'pressure/kg-m2'
}
/** Percentages that are never 1 or less. Such a value means something else. */
const neverFractions: ReadonlySet<string> = new Set(['blood_oxygen_saturation', 'body_fat_percentage'])

/** Returns a value with its type, or the reason to skip it. The app writes percentages from 0 to 100. */
function toQuantity(
  name: string,
  unit: string,
  value: number
): Pick<ImportedRecord, 'type' | 'content'> | SkipReason {
  const rate = Object.hasOwn(typesOfRates, name) ? typesOfRates[name] : undefined
  if (rate !== undefined) {
    if (!/^(?:count(?:\/min)?|bpm|rpm|(?:beats|breaths)\/min)$/i.test(unit))
      return 'in a unit without a type here'
    return value === 0 && rate !== 'frequency/rpm'
      ? 'zero, which means that nothing was measured'
      : { type: rate, content: value }
  }
  const count = Object.hasOwn(typesOfCounts, name) ? typesOfCounts[name] : undefined
  if (count !== undefined && /^(?:count|steps|kg\/m2)$/.test(unit)) return { type: count, content: value }
  const measure = findMeasure(unit)
  if (unit === '') return 'of a unit that is not known'
  if (!measure || measure.type.startsWith('frequency/')) return 'in a unit without a type here'
  if (neverFractions.has(name) && value <= 1) return 'of a value that is impossible for what it measures'
  return { type: measure.type, content: scaleValue(value, measure.factor) }
}

/** Numeric members of values with the suffix of their stream. The first member counts as the record itself. */
const numericMembers: readonly (readonly [member: string, part: string])[] = [
  ['qty', ''],
  ['Avg', ''],
  ['Min', ', lowest'],
  ['Max', ', highest']
]
/** Members that describe a value and are kept with it. */
const contextMembers = ['mealTime', 'reason', 'value'] as const
const readMembers: ReadonlySet<string> = new Set([
  ...numericMembers.map(([member]) => member),
  ...contextMembers,
  'date',
  'startDate',
  'endDate',
  'start',
  'end',
  'source',
  'units',
  'id'
])
const analysisByStage: Readonly<Record<string, string>> = {
  'in bed': 'inBed',
  inbed: 'inBed',
  asleep: 'asleep',
  core: 'asleep',
  deep: 'asleep',
  rem: 'asleep',
  unspecified: 'asleep',
  awake: 'awake'
}
/** Totals of a night, in hours, with their streams. */
const nightTotals: readonly (readonly [member: string, stream: string])[] = [
  ['totalSleep', 'Time asleep'],
  ['asleep', 'Unspecified sleep'],
  ['core', 'Core sleep'],
  ['deep', 'Deep sleep'],
  ['rem', 'REM sleep'],
  ['awake', 'Time awake'],
  ['inBed', 'Time in bed']
]
const protectionMembers: readonly (readonly [member: string, content: string])[] = [
  ['Unspecified', 'notSet'],
  ['Protection Used', 'protectionUsed'],
  ['Protection Not Used', 'protectionNotUsed']
]
/** Maximum number of plausible occurrences per day. */
const maxOccurrences = 50

type BaseRecord = Pick<ImportedRecord, 'kind' | 'source' | 'time' | 'duration'>

export class MetricReader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  /** Adds a value of a metric. Skips it with a reason if it has no time or no type here. */
  addValue(name: string, units: string, object: Json): void {
    const time = this.#getTime(object, 'date', 'startDate', 'start')
    const end = this.#getTime(object, 'endDate', 'end')
    const source = getText(object, 'source') ?? ''
    const common = { kind: name, source, time, ...(end > time && { duration: end - time }) }
    if (name === 'sleep_analysis' && !('value' in object)) this.#addNight(units, { ...common, time }, object)
    else if (Number.isNaN(time)) this.sink.skip(name, 'without a time')
    else if (name === 'sleep_analysis') this.#addStage(common, object)
    else if (name === 'blood_pressure') this.#addPressure(common, units, object)
    else if (name === 'sexual_activity') this.#addSexualActivity(common, object)
    else this.addQuantities(common, name, units, formatWords(name), object)
  }

  /**
   * Adds each number of an object as a record. Skips it if it has none, and counts other members as skipped.
   */
  addQuantities(common: BaseRecord, name: string, units: string, stream: string, object: Json): void {
    const context = contextMembers.flatMap(member => {
      const text = getText(object, member)
      return text === undefined || text === 'Unspecified' ? [] : [[member, text] as const]
    })
    const contextData = context.length > 0 && {
      isEvent: true,
      clientData: { 'health-auto-export:value': Object.fromEntries(context) }
    }
    let count = 0
    for (const [member, suffix] of numericMembers) {
      const value = getNumber(object, member)
      if (value === undefined) continue
      const kind = count++ === 0 ? common.kind : `${common.kind} ${member}`
      const quantity = toQuantity(name, units, value)
      if (typeof quantity === 'string') this.sink.skip(kind, quantity)
      else this.sink.addRecord({ ...common, kind, stream: `${stream}${suffix}`, ...quantity, ...contextData })
    }
    if (count === 0) this.sink.skip(common.kind, 'without a number')
    for (const [member, value] of Object.entries(object))
      if (!readMembers.has(member) && value !== null && value !== '')
        this.sink.skip(`${common.kind} ${member}`, 'of a kind without a type here')
  }

  #getTime(object: Json, ...members: readonly string[]): number {
    for (const member of members) {
      const text = getText(object, member)
      if (text !== undefined) return parseUnambiguousTime(text, this.zone)
    }
    return NaN
  }

  /** Adds a blood pressure. Skips it if a half is missing or the unit is not mmHg. */
  #addPressure(common: BaseRecord, units: string, object: Json): void {
    const [systolic, diastolic] = [getNumber(object, 'systolic'), getNumber(object, 'diastolic')]
    if (!systolic && !diastolic) this.sink.skip(common.kind, 'without a number')
    else if (!systolic || !diastolic)
      this.sink.skip(common.kind, 'half of a measurement whose other half is missing')
    else if (!/^mmhg$/i.test(units)) this.sink.skip(common.kind, 'in a unit without a type here')
    else
      this.sink.addRecord({
        ...common,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        content: { systolic, diastolic }
      })
  }

  /** Adds one record for each occurrence; numbers that are impossible are skipped. */
  #addSexualActivity(common: BaseRecord, object: Json): void {
    let isEmpty = true
    for (const [member, content] of protectionMembers) {
      const occurrences = getNumber(object, member) ?? 0
      if (occurrences === 0) continue
      isEmpty = false
      if (!Number.isInteger(occurrences) || occurrences < 0 || occurrences > maxOccurrences) {
        this.sink.skip(common.kind, 'of a value that is impossible for what it measures')
        continue
      }
      for (let index = 0; index < occurrences; index++)
        this.sink.addRecord({
          ...common,
          type: 'reproductive-health/sexual-activity',
          stream: 'Sexual activity',
          content,
          identity: `${content} ${index}`
        })
    }
    if (isEmpty) this.sink.skip(common.kind, 'zero, which stands for none')
  }

  /** Adds a sleep stage. Skips stages that are unknown. */
  #addStage(common: BaseRecord, object: Json): void {
    const stage = getText(object, 'value') ?? ''
    const word = stage.toLowerCase()
    const analysis = Object.hasOwn(analysisByStage, word) ? analysisByStage[word] : undefined
    if (analysis === undefined) this.sink.skip(common.kind, 'of a kind without a type here')
    else
      this.sink.addRecord({
        ...common,
        type: 'sleep/analysis',
        stream: 'Sleep',
        identity: stage,
        content: { analysis },
        clientData: { 'health-auto-export:stage': stage }
      })
  }

  /** Adds a night: its totals, and the time in bed. That is sleep only if the totals say so. */
  #addNight(units: string, { kind, source, time }: BaseRecord, object: Json): void {
    const ranges = ['sleep', 'inBed'].map(name => {
      const [start, end] = [this.#getTime(object, `${name}Start`), this.#getTime(object, `${name}End`)]
      return end > start ? { source, time: start, duration: end - start } : undefined
    })
    const [asleep, inBed] = ranges
    const day = Number.isNaN(time) ? undefined : { source, time }
    const measure = findMeasure(units)
    const isInHours = measure?.type === 'time/h'
    let count = 0
    for (const [member, stream] of nightTotals) {
      const content = getNumber(object, member)
      if (content === undefined) continue
      const ownKind = count++ === 0 ? kind : `${kind} ${member}`
      const range = (member === 'inBed' ? inBed : asleep) ?? asleep ?? inBed ?? day
      const isTotal = member === 'asleep' && !('totalSleep' in object)
      if (!range) this.sink.skip(ownKind, 'without a time')
      else if (!isInHours) this.sink.skip(ownKind, 'in a unit without a type here')
      else if (content === 0) this.sink.skip(ownKind, 'zero, which stands for none')
      else
        this.sink.addRecord({
          kind: ownKind,
          ...range,
          type: 'time/h',
          stream: isTotal ? 'Time asleep' : stream,
          content
        })
    }
    const total = getNumber(object, 'totalSleep') ?? getNumber(object, 'asleep') ?? 0
    const nights = [
      asleep && {
        ...asleep,
        content: getNightContent(isInHours ? total * 3600 : undefined, asleep.duration)
      },
      inBed && { ...inBed, content: getNightContent(undefined, inBed.duration) }
    ].filter(night => night !== undefined)
    // Without a time in bed, the time from falling asleep to waking up is used.
    const written = nights.filter(
      ({ content }, index) => index > 0 || !inBed || content.analysis === 'asleep'
    )
    for (const night of written)
      this.sink.addRecord({ kind: `${kind} span`, ...night, type: 'sleep/analysis', stream: 'Sleep' })
    if (count === 0 && written.length === 0) this.sink.skip(kind, 'without a number')
  }
}
