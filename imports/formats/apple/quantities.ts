/** Reads HealthKit quantities, as both of Apple's exports write them. */
import type { Sink } from '../../record.js'
import { numberOf } from '../../text/units.js'
import type { PressurePairs } from './pressure.js'
import { isPressure, quantityOf } from './types.js'

/** The only supported unit of blood pressure. */
export const pressureUnit = 'mmHg'

interface Quantity {
  /** Its type, without HealthKit's prefix. */
  readonly kind: string
  readonly source: string
  /** Seconds. */
  readonly time: number
  readonly duration: number | undefined
  readonly unit: string
  /** As written. */
  readonly value: string
}

/** Adds a quantity to the sink, or to `pairs` if it is half of a blood pressure. */
export function giveQuantity(quantity: Quantity, pairs: PressurePairs, sink: Sink): void {
  const { duration, kind, source, time, unit } = quantity
  const value = numberOf(quantity.value)
  if (value === undefined) {
    sink.leftOut(kind, 'without a number')
    return
  }
  if (isPressure(kind)) {
    const isSystolic = kind === 'BloodPressureSystolic'
    if (unit === pressureUnit) pairs.add({ kind, isSystolic, source, time, value })
    else sink.leftOut(kind, 'in a unit without a type here')
    return
  }
  const mapped = quantityOf(kind, unit, value)
  if (typeof mapped === 'string') sink.leftOut(kind, mapped)
  else sink.datum({ kind, source, time, duration, ...mapped })
}
