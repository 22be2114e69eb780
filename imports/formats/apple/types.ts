/** Maps HealthKit's kinds of records to event types. */
import type { SkipReason } from '../../skip-reasons.js'
import { findMeasure, scaleValue } from '../../text/units.js'

const prefix = /^HK(?:Quantity|Category|Correlation|Data)TypeIdentifier|^HK(?:Data|Category)Type/

/** Returns a kind without HealthKit's prefix. */
export function stripPrefix(identifier: string): string {
  return getCached(nameCache, identifier, () => identifier.replace(prefix, '') || 'Record')
}

/** Type, stream and fixed content of a kind's events. */
export interface MappedKind {
  readonly type: string
  readonly stream: string
  readonly content?: unknown
}

/** Types by kind, where the unit is ambiguous. */
const typesByKind: Readonly<Record<string, string>> = {
  StepCount: 'count/steps',
  BodyMassIndex: 'pressure/kg-m2',
  CyclingCadence: 'frequency/rpm',
  RespiratoryRate: 'frequency/brpm',
  HeartRate: 'frequency/bpm',
  RestingHeartRate: 'frequency/bpm',
  WalkingHeartRateAverage: 'frequency/bpm'
}
/** Kinds whose percentages are written as fractions, with their valid range in percent. */
const fractions: Readonly<Record<string, readonly [least: number, most: number]>> = {
  BodyFatPercentage: [1.5, 90],
  OxygenSaturation: [10, 100],
  WalkingAsymmetryPercentage: [0, 100],
  WalkingDoubleSupportPercentage: [0, 100],
  AppleWalkingSteadiness: [0, 100],
  BloodAlcoholContent: [0, 1],
  PeripheralPerfusionIndex: [0, 30],
  AtrialFibrillationBurden: [0, 100]
}
const wordsCache = new Map<string, string>()
const nameCache = new Map<string, string>()

/** Formats a kind as words: `BodyMassIndex` becomes `Body mass index`. */
export function formatWords(kind: string): string {
  return getCached(wordsCache, kind, () => {
    const words = kind.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    return words
      .split(' ')
      .map((word, at) => (at === 0 || /^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
      .join(' ')
  })
}

function getCached(cache: Map<string, string>, key: string, compute: () => string): string {
  let value = cache.get(key)
  if (value === undefined) {
    value = compute()
    if (cache.size < 5000) cache.set(key, value)
  }
  return value
}

/** Maps a quantity to a type and content; returns the reason if records of this kind are skipped. */
export function mapQuantity(
  kind: string,
  unit: string,
  value: number
): (MappedKind & { content: number }) | SkipReason {
  const stream = formatWords(kind)
  const override = Object.hasOwn(typesByKind, kind) ? typesByKind[kind] : undefined
  if (override !== undefined && unit === (override.startsWith('frequency/') ? 'count/min' : 'count'))
    return { type: override, stream, content: value }
  if (unit === '%') {
    const range = Object.hasOwn(fractions, kind) ? fractions[kind] : undefined
    if (!range) return 'in a unit without a type here'
    // Some apps write percent nonetheless.
    const content = value <= 1 ? scaleValue(value, 100) : value
    if (content < range[0] || content > range[1]) return 'of a value that is impossible for what it measures'
    return { type: 'ratio/percent', stream, content }
  }
  const measure = findMeasure(unit)
  if (!measure) return 'in a unit without a type here'
  return { type: measure.type, stream, content: scaleValue(value, measure.factor) }
}

/** Returns true if a kind is half of a blood pressure. */
export function isPressure(kind: string): boolean {
  return kind === 'BloodPressureSystolic' || kind === 'BloodPressureDiastolic'
}

const sleepStages: Readonly<Record<string, string>> = {
  InBed: 'inBed',
  Asleep: 'asleep',
  AsleepUnspecified: 'asleep',
  AsleepCore: 'asleep',
  AsleepDeep: 'asleep',
  AsleepREM: 'asleep',
  Awake: 'awake'
}
const severitiesByWord: Readonly<Record<string, string>> = {
  NotPresent: 'notPresent',
  Mild: 'mild',
  Moderate: 'moderate',
  Severe: 'severe',
  Unspecified: 'unspecified',
  Present: 'unspecified'
}
const flowsByWord: Readonly<Record<string, string>> = {
  Unspecified: 'unspecified',
  None: 'none',
  Light: 'light',
  Medium: 'medium',
  Heavy: 'heavy'
}

/** Maps a category to a type and content; returns `undefined` if there is no type for it. */
export function mapCategory(
  kind: string,
  value: string
): (MappedKind & { clientData?: Readonly<Record<string, unknown>> }) | undefined {
  const stream = formatWords(kind)
  // The value consists of its kind's name and a word.
  const word = getLastWord(
    value.replace(
      /^HKCategoryValue(?:SleepAnalysis|Severity|Presence|MenstrualFlow|VaginalBleeding|AppetiteChanges)?/,
      ''
    )
  )
  if (kind === 'SleepAnalysis') {
    const analysis = word === undefined ? undefined : sleepStages[word]
    return analysis === undefined
      ? undefined
      : {
          type: 'sleep/analysis',
          stream: 'Sleep',
          content: { analysis },
          clientData: { 'apple:stage': word }
        }
  }
  if (kind === 'MenstrualFlow') {
    const flow = word === undefined ? undefined : flowsByWord[word]
    return flow === undefined
      ? undefined
      : { type: 'reproductive-health/menstrual-flow', stream, content: flow }
  }
  if (kind === 'MindfulSession')
    return { type: 'activity/plain', stream, clientData: { 'apple:category': kind } }
  if (/^HKCategoryValue(?:Severity|Presence)/.test(value)) {
    const severity = word === undefined ? undefined : severitiesByWord[word]
    return severity === undefined ? undefined : { type: 'symptoms/severity', stream, content: severity }
  }
  return undefined
}

/** Returns the letters at the end of a value, from their first capital on. */
function getLastWord(value: string): string | undefined {
  let start = value.length
  while (start > 0 && /[A-Za-z]/.test(value[start - 1]!)) start--
  const letters = value.slice(start)
  const capital = letters.search(/[A-Z]/)
  return capital < 0 ? undefined : letters.slice(capital)
}
