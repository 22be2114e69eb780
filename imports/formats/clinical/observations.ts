/** What observations of FHIR measure: values by LOINC and UCUM. */
import { at, byName, listAt, numberAt, textAt, type Json } from '../json-files.js'
import { measureOf, scaled } from '../../text/units.js'

/** What an observation of a code measures. */
interface Known {
  readonly stream: string
  /** What the types of its values begin with: those of units that measure something else are none. */
  readonly of?: string
  /** Of a count: its one type, and the units for it, without what UCUM writes in braces. */
  readonly count?: { readonly type: string; readonly units: RegExp }
}

const perMinute = /^(?:(?:1|count|beats?|breaths?)?\/min(?:ute)?|br?pm)$/i
const beats = { type: 'frequency/bpm', units: perMinute }
const steps = { type: 'count/steps', units: /^(?:1|count|steps?)?$/i }

/** What observations measure, by LOINC. */
const loinc = byName<Known>({
  '29463-7': { stream: 'Weight', of: 'mass/' },
  '3141-9': { stream: 'Weight', of: 'mass/' },
  '8302-2': { stream: 'Height', of: 'length/' },
  '39156-5': { stream: 'Body mass index', of: 'pressure/kg-m2' },
  '8867-4': { stream: 'Heart rate', count: beats },
  '40443-4': { stream: 'Resting heart rate', count: beats },
  '9279-1': { stream: 'Respiratory rate', count: { type: 'frequency/brpm', units: perMinute } },
  '8310-5': { stream: 'Body temperature', of: 'temperature/' },
  '8331-1': { stream: 'Body temperature', of: 'temperature/' },
  '2708-6': { stream: 'Oxygen saturation', of: 'ratio/' },
  '2710-2': { stream: 'Oxygen saturation', of: 'ratio/' },
  '59408-5': { stream: 'Oxygen saturation', of: 'ratio/' },
  '2339-0': { stream: 'Blood glucose', of: 'density/' },
  '2345-7': { stream: 'Blood glucose', of: 'density/' },
  '15074-8': { stream: 'Blood glucose', of: 'density/' },
  '41982-0': { stream: 'Body fat', of: 'ratio/' },
  '55423-8': { stream: 'Steps', count: steps },
  '41950-7': { stream: 'Steps', count: steps }
})
/** The two ways in which LOINC is named as a system of codes. */
const loincSystems = new Set(['http://loinc.org', 'urn:oid:2.16.840.1.113883.6.1'])

/** A value by its type, and the stream that it belongs into. */
interface Measurement {
  readonly type: string
  readonly stream: string
  readonly content: unknown
}

/** Returns what an observation has measured; `undefined` where that is no value of one type. `duration`: its own, in seconds. */
export function measurementIn(resource: Json, duration: number | undefined): Measurement | undefined {
  const pressure = pressureIn(resource)
  if (pressure) return { type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', content: pressure }
  const code = codeOf(resource)
  const quantity = at(resource, 'valueQuantity')
  if (code === sleepDuration && isAsleepThroughout(quantity, duration))
    return { type: 'sleep/analysis', stream: 'Sleep', content: { analysis: 'asleep' } }
  const known = code === undefined ? undefined : loinc.get(code)
  const value = known && valueOf(known, quantity)
  return value && { ...value, stream: known.stream }
}

function codeOf(resource: unknown): string | undefined {
  const coding = listAt(resource, 'code', 'coding').find(each =>
    loincSystems.has(textAt(each, 'system') ?? '')
  )
  return textAt(coding, 'code')
}

/** Returns a quantity as a value of a type; `undefined` where it is only a bound, such as `<20`, or in a unit of something else. */
function valueOf(
  { count, of }: Known,
  quantity: unknown
): { readonly type: string; readonly content: number } | undefined {
  const value = exactly(quantity)
  const unit = unitOf(quantity)
  if (value === undefined || unit === undefined) return undefined
  if (count)
    return count.units.test(unit.replaceAll(/\{[^{}]*\}/g, ''))
      ? { type: count.type, content: value }
      : undefined
  const measure = measureOf(unit)
  return of !== undefined && measure?.type.startsWith(of) === true
    ? { type: measure.type, content: scaled(value, measure.factor) }
    : undefined
}

/** Returns the value of a quantity that is no bound. */
function exactly(quantity: unknown): number | undefined {
  return textAt(quantity, 'comparator') === undefined ? numberAt(quantity, 'value') : undefined
}

function unitOf(quantity: unknown): string | undefined {
  return textAt(quantity, 'code') ?? textAt(quantity, 'unit')
}

const sleepDuration = '93832-4'

/** Whether somebody has slept for as long as the observation lasts: else its value says more than an event of sleep could. */
function isAsleepThroughout(quantity: unknown, duration: number | undefined): boolean {
  const value = exactly(quantity)
  const seconds = { s: 1, min: 60, h: 3600 }[unitOf(quantity) ?? '']
  if (duration === undefined || value === undefined || seconds === undefined) return false
  return Math.abs(value * seconds - duration) < 1
}

const [systolicCode, diastolicCode] = ['8480-6', '8462-4']

/** Returns a quantity in mmHg that is no bound. */
function pressureOf(quantity: unknown): number | undefined {
  const measure = measureOf(unitOf(quantity) ?? '')
  return measure?.type === 'pressure/mmhg' ? exactly(quantity) : undefined
}

/** Returns half of a blood pressure, of an observation that is nothing else. */
export function pressureHalfIn(resource: Json): { isSystolic: boolean; value: number } | undefined {
  const code = codeOf(resource)
  const value = pressureOf(at(resource, 'valueQuantity'))
  if (value === undefined || (code !== systolicCode && code !== diastolicCode)) return undefined
  return { isSystolic: code === systolicCode, value }
}

/** Systolic and diastolic, in whichever panel, and the heart rate if it is in there. */
function pressureIn(resource: Json): { systolic: number; diastolic: number; rate?: number } | undefined {
  const parts = listAt(resource, 'component')
  const partOf = (code: string): unknown =>
    at(
      parts.find(each => codeOf(each) === code),
      'valueQuantity'
    )
  const [systolic, diastolic] = [systolicCode, diastolicCode].map(code => pressureOf(partOf(code)))
  if (systolic === undefined || diastolic === undefined) return undefined
  const rate = valueOf(loinc.get('8867-4')!, partOf('8867-4'))?.content
  return { systolic, diastolic, ...(rate !== undefined && { rate }) }
}
