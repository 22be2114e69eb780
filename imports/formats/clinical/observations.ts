/** Maps FHIR observations to event types, by LOINC and UCUM. */
import { getMember, toLookupMap, getList, getNumber, getText, isObject, type Json } from '../json-files.js'
import { findMeasure, scaleValue } from '../../text/units.js'

/** What observations with a code measure. */
interface KnownMeasurement {
  readonly stream: string
  /** Prefix of the types of the observation's values. Values in other units are ignored. */
  readonly typePrefix?: string
  /** For counts: the type, and the accepted units without UCUM annotations in braces. */
  readonly count?: { readonly type: string; readonly units: RegExp }
}

const perMinute = /^(?:(?:1|count|beats?|breaths?)?\/min(?:ute)?|br?pm)$/i
const beats = { type: 'frequency/bpm', units: perMinute }
const steps = { type: 'count/steps', units: /^(?:1|count|steps?)?$/i }

/** The code of any heart rate. */
const heartRateCode = '8867-4'

/** Measurements by LOINC code. */
const loinc = toLookupMap<KnownMeasurement>({
  '29463-7': { stream: 'Weight', typePrefix: 'mass/' },
  '3141-9': { stream: 'Weight', typePrefix: 'mass/' },
  '8302-2': { stream: 'Height', typePrefix: 'length/' },
  '39156-5': { stream: 'Body mass index', typePrefix: 'pressure/kg-m2' },
  [heartRateCode]: { stream: 'Heart rate', count: beats },
  '40443-4': { stream: 'Resting heart rate', count: beats },
  '9279-1': { stream: 'Respiratory rate', count: { type: 'frequency/brpm', units: perMinute } },
  '8310-5': { stream: 'Body temperature', typePrefix: 'temperature/' },
  '8331-1': { stream: 'Body temperature', typePrefix: 'temperature/' },
  '2708-6': { stream: 'Oxygen saturation', typePrefix: 'ratio/' },
  '2710-2': { stream: 'Oxygen saturation', typePrefix: 'ratio/' },
  '59408-5': { stream: 'Oxygen saturation', typePrefix: 'ratio/' },
  '2339-0': { stream: 'Blood glucose', typePrefix: 'density/' },
  '2345-7': { stream: 'Blood glucose', typePrefix: 'density/' },
  '15074-8': { stream: 'Blood glucose', typePrefix: 'density/' },
  '41982-0': { stream: 'Body fat', typePrefix: 'ratio/' },
  '55423-8': { stream: 'Steps', count: steps },
  '41950-7': { stream: 'Steps', count: steps }
})
/** The two identifiers of LOINC as a code system. */
const loincSystems = new Set(['http://loinc.org', 'urn:oid:2.16.840.1.113883.6.1'])

/** A value with its type and stream. */
interface Measurement {
  readonly type: string
  readonly stream: string
  readonly content: unknown
}

/**
 * Returns the measurement of an observation; `undefined` if it is not a value of one type. `duration`: the duration of
 * the observation, in seconds.
 */
export function findMeasurement(resource: Json, duration: number | undefined): Measurement | undefined {
  if (isOfAnother(resource)) return undefined
  const pressure = findPressure(resource)
  if (pressure) return { type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', content: pressure }
  const codes = listLoincCodes(resource)
  const quantity = getMember(resource, 'valueQuantity')
  if (codes.includes(sleepDurationCode) && isAsleepThroughout(quantity, duration))
    return { type: 'sleep/analysis', stream: 'Sleep', content: { analysis: 'asleep' } }
  const known = findKnown(codes)
  const value = known && toValue(known, quantity)
  return value && { ...value, stream: known.stream }
}

/** Members of an observation that are about its own value, or long. */
const ownMembers = new Set([
  'component',
  'contained',
  'dataAbsentReason',
  'interpretation',
  'note',
  'referenceRange',
  'text',
  'valueQuantity'
])
/** Maximum total length of what observations of components repeat, in characters of JSON. */
const maxRepeated = 256 * 1024

/**
 * Returns the quantities in the components of an observation that its measurement does not contain, such as a weight beside a blood
 * pressure, each as an observation of its own; `undefined` for those that would repeat too much.
 */
export function listFurther(resource: Json, { content, type }: Measurement): (Json | undefined)[] {
  const rate = getMember(content, 'rate') === undefined ? [] : [heartRateCode]
  const used = new Set(type === 'blood-pressure/mmhg-bpm' ? [systolicCode, diastolicCode, ...rate] : [])
  const further = Array.from(getList(resource, 'component').entries()).filter(([, each]) => {
    const code = listLoincCodes(each).find(one => used.has(one))
    // The first one of each code is part of the measurement.
    if (code !== undefined) used.delete(code)
    return code === undefined && isObject(getMember(each, 'valueQuantity'))
  })
  if (further.length === 0) return []
  const shared = Object.fromEntries(Object.entries(resource).filter(([name]) => !ownMembers.has(name)))
  const isLarge = JSON.stringify(shared).length * further.length > maxRepeated
  return further.map(([at, each]) => {
    if (isLarge) return undefined
    const { code, interpretation, referenceRange, valueQuantity } = each as Json
    const id = getText(resource, 'id')
    return {
      ...shared,
      ...(id !== undefined && { id: `${id}.${at + 1}` }),
      code,
      valueQuantity,
      ...(interpretation !== undefined && { interpretation }),
      ...(referenceRange !== undefined && { referenceRange })
    }
  })
}

/**
 * Returns whether a resource is about something else than the patient, such as an unborn child or a donor (`focus`), or says something
 * that changes its meaning (`modifierExtension`), which readers have to know.
 */
function isOfAnother(resource: Json): boolean {
  return getMember(resource, 'focus') !== undefined || getMember(resource, 'modifierExtension') !== undefined
}

/** Returns the LOINC codes of an observation, or of a component: all of them apply to it. */
function listLoincCodes(resource: unknown): string[] {
  return getList(resource, 'code', 'coding').flatMap(each =>
    loincSystems.has(getText(each, 'system') ?? '') ? (getText(each, 'code') ?? []) : []
  )
}

/** Returns which of the codes is known; another one than the general code of heart rates, if there is one. */
function findKnown(codes: readonly string[]): KnownMeasurement | undefined {
  const known = codes.filter(code => loinc.has(code))
  return loinc.get(known.find(code => code !== heartRateCode) ?? known[0] ?? '')
}

/**
 * Converts a quantity to a value of a type; returns `undefined` if it is only a bound, such as `<20`, or has an unsuitable unit.
 */
function toValue(
  { count, typePrefix }: KnownMeasurement,
  quantity: unknown
): { readonly type: string; readonly content: number } | undefined {
  const value = getExactValue(quantity)
  const unit = getUnit(quantity)
  if (value === undefined || unit === undefined) return undefined
  if (count)
    return count.units.test(unit.replaceAll(/\{[^{}]*\}/g, ''))
      ? { type: count.type, content: value }
      : undefined
  const measure = findMeasure(unit)
  return typePrefix !== undefined && measure?.type.startsWith(typePrefix) === true
    ? { type: measure.type, content: scaleValue(value, measure.factor) }
    : undefined
}

/** Returns the value of a quantity; `undefined` if it is a bound. */
function getExactValue(quantity: unknown): number | undefined {
  return getText(quantity, 'comparator') === undefined ? getNumber(quantity, 'value') : undefined
}

function getUnit(quantity: unknown): string | undefined {
  return getText(quantity, 'code') ?? getText(quantity, 'unit')
}

const sleepDurationCode = '93832-4'

/** Returns true if the sleep lasted as long as the observation. Otherwise its value says more than a sleep event could. */
function isAsleepThroughout(quantity: unknown, duration: number | undefined): boolean {
  const value = getExactValue(quantity)
  const seconds = { s: 1, min: 60, h: 3600 }[getUnit(quantity) ?? '']
  if (duration === undefined || value === undefined || seconds === undefined) return false
  return Math.abs(value * seconds - duration) < 1
}

const [systolicCode, diastolicCode] = ['8480-6', '8462-4']

/** Returns a pressure in mmHg; `undefined` if it is a bound or in another unit. */
function getPressure(quantity: unknown): number | undefined {
  const measure = findMeasure(getUnit(quantity) ?? '')
  return measure?.type === 'pressure/mmhg' ? getExactValue(quantity) : undefined
}

/**
 * Returns the value (mmHg) of an observation of only the systolic or only the diastolic pressure; `undefined`
 * for other observations.
 */
export function findPressureHalf(resource: Json): { isSystolic: boolean; value: number } | undefined {
  const codes = listLoincCodes(resource)
  const value = getPressure(getMember(resource, 'valueQuantity'))
  const isSystolic = codes.includes(systolicCode)
  if (value === undefined || isSystolic === codes.includes(diastolicCode)) return undefined
  return { isSystolic, value }
}

/**
 * Returns the systolic and diastolic pressure, and the heart rate if present, of an observation with both components,
 * whatever its own code; `undefined` for other observations.
 */
function findPressure(resource: Json): { systolic: number; diastolic: number; rate?: number } | undefined {
  const components = getList(resource, 'component')
  const getComponent = (code: string): unknown =>
    getMember(
      components.find(each => listLoincCodes(each).includes(code)),
      'valueQuantity'
    )
  const [systolic, diastolic] = [systolicCode, diastolicCode].map(code => getPressure(getComponent(code)))
  if (systolic === undefined || diastolic === undefined) return undefined
  const rate = toValue(loinc.get(heartRateCode)!, getComponent(heartRateCode))?.content
  return { systolic, diastolic, ...(rate !== undefined && { rate }) }
}
