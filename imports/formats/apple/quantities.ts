/** Reads HealthKit quantities, as both of Apple's exports write them. */
import type { Sink } from '../../record.js'
import { parseNumber } from '../../text/units.js'
import type { PressurePairs } from './pressure-pairs.js'
import { isPressure, mapQuantity } from './types.js'

/** The only supported unit of blood pressure. */
export const pressureUnit = 'mmHg'

interface Quantity {
  /** The type of the quantity, without HealthKit's prefix. */
  readonly kind: string
  readonly source: string
  /** Seconds. */
  readonly time: number
  readonly duration: number | undefined
  readonly unit: string
  /** The value as text, as in the file. */
  readonly value: string
}

/**
 * Adds a quantity to the sink, or to `pairs` if it is half of a blood pressure. Skips a quantity that has no
 * number or no suitable unit.
 */
export function addQuantity(quantity: Quantity, pairs: PressurePairs, sink: Sink): void {
  const { duration, kind, source, time, unit } = quantity
  const value = parseNumber(quantity.value)
  if (value === undefined) {
    sink.skip(kind, 'without a number')
    return
  }
  if (isPressure(kind)) {
    const isSystolic = kind === 'BloodPressureSystolic'
    if (unit === pressureUnit) pairs.add({ kind, isSystolic, source, time, value })
    else sink.skip(kind, 'in a unit without a type here')
    return
  }
  const mapped = mapQuantity(kind, unit, value)
  if (typeof mapped === 'string') sink.skip(kind, mapped)
  else sink.addRecord({ kind, source, time, duration, ...mapped })
}
