/** Converts values of Health Auto Export to the types in which Apple's export stores them. */
import { mapQuantity, type MappedKind } from '../../../imports/formats/apple/types.js'
import { findMeasure, scaleValue } from '../../../imports/text/units.js'
import { convertUnit } from '../../../schemas/units.js'
import type { MetricKind } from './health-auto-export-kinds.js'

interface Quantity extends MappedKind {
  readonly content: number
  /** The value as it was sent, if its unit is another one. */
  readonly original?: { readonly value: number; readonly unit: string }
}

/** A type and stream, and the range of percentages. */
const typesByKind = new Map<string, MappedKind | undefined>()
const perMinute = /^(?:count\/min|bpm|rpm|brpm|(?:beats|breaths)\/min)$/i
const counts = /^(?:count|steps|kg\/m2)$/i

/** Returns a value in the unit of its type; `undefined` if the unit is not known, or the value impossible. */
export function toQuantity(
  { kind, unit: usual }: MetricKind,
  unit: string,
  value: number
): Quantity | undefined {
  const mapped = getType(kind, usual)
  if (!mapped || !Number.isFinite(value)) return undefined
  const { stream, type } = mapped
  if (type.startsWith('frequency/'))
    return perMinute.test(unit) && (value > 0 || type === 'frequency/rpm')
      ? { type, stream, content: value }
      : undefined
  if (usual === 'count') return counts.test(unit) ? { type, stream, content: value } : undefined
  // The app writes percentages from 0 to 100, Apple's export fractions.
  if (type === 'ratio/percent') {
    if (unit !== '%') return undefined
    const checked = mapQuantity(kind, '%', value / 100)
    return typeof checked === 'string' ? undefined : { type, stream, content: value }
  }
  const measure = findMeasure(unit)
  const ownMeasure = findMeasure(usual)!
  if (!measure) return undefined
  const content = scaleValue(value, measure.factor)
  // Apple's export writes the glucose of blood in either unit as well.
  if (measure.type === type || kind === 'BloodGlucose') {
    if (!measure.type.startsWith(`${type.split('/', 1)[0]}/`)) return undefined
    const isUsual = measure.factor === ownMeasure.factor || measure.type !== type
    return { type: measure.type, stream, content, ...(!isUsual && { original: { value, unit } }) }
  }
  const converted = convertUnit(content, measure.type, type)
  return converted === undefined ? undefined : { type, stream, content: converted, original: { value, unit } }
}

/** Returns the type and stream of a kind. */
function getType(kind: string, unit: string): MappedKind | undefined {
  if (!typesByKind.has(kind)) {
    // One half is a possible value of every percentage but that of alcohol.
    const mapped = mapQuantity(kind, unit, kind === 'BloodAlcoholContent' ? 0 : 0.5)
    const found = typeof mapped === 'string' ? mapQuantity(kind, unit, 0.2) : mapped
    typesByKind.set(kind, typeof found === 'string' ? undefined : { type: found.type, stream: found.stream })
  }
  return typesByKind.get(kind)
}
