/** Params of the methods that read measures. */
import { Type } from 'typebox'
import { convertUnit } from '../../schemas/units.js'
import { includesAudit } from '../audit/events.js'
import { fail } from '../errors.js'
import { refuseParams } from '../validation/params.js'
import type { MeasureForm } from './known-measures.js'
import { isNumeric } from './values.js'

/** Id of a measure. */
export const MeasureId = Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 64 })
/** Ids of measures. */
export const MeasureIds = Type.Array(MeasureId, { maxItems: 1000 })

/** Throws `invalid-operation` for streams of the audit. */
export function assertNoAudit(streams: unknown): void {
  if (includesAudit(streams))
    fail('invalid-operation', 'The audit contains no measures. Use streams of the account only')
}

/** Throws `invalid-parameters-format` for a unit in which the numbers of a measure cannot be given. */
export function assertUnit(measure: MeasureForm, unit: string | undefined): void {
  if (unit === undefined) return
  const { molarMass, types } = measure
  // Amounts of money are not converted, but each currency is a unit.
  const isKnown = types.includes(unit) || convertUnit(1, types[0]!, unit, molarMass) !== undefined
  if (isNumeric(measure) && isKnown) return
  refuseParams([
    { code: 'INVALID', message: `must be a unit of the measure "${measure.id}"`, path: '#/unit' }
  ])
}
