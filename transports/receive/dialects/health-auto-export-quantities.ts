/** Maps values of Health Auto Export to the types in which those of Apple's export are stored. */
import { mapQuantity, type MappedKind } from '../../../imports/formats/apple/types.js'
import { findMeasure, scaleValue } from '../../../imports/text/units.js'
import type { MetricKind } from './health-auto-export-kinds.js'

export interface Quantity extends MappedKind {
  readonly content: number
}

/** A type and stream, and the range of percentages. */
const typesByKind = new Map<string, MappedKind | undefined>()
const perMinute = /^(?:count\/min|bpm|rpm|brpm|(?:beats|breaths)\/min)$/i
const counts = /^(?:count|steps|kg\/m2)$/i

/** Returns a value as Apple's export has it; `undefined` if the unit is not known, or the value impossible. */
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
  // In the unit that was sent: Apple's export has the same units, those of the user's settings.
  const measure = findMeasure(unit)
  if (!measure || getQuantityName(measure.type) !== getQuantityName(type)) return undefined
  return { type: measure.type, stream, content: scaleValue(value, measure.factor) }
}

/** Returns the quantity that a type measures: `mass` for `mass/kg`. */
function getQuantityName(type: string): string {
  return type.split('/', 1)[0]!
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
