/** Time zones that clients name, in events and in the private profile set. (docs/spec/events.md#time-zones) */
import { Type } from 'typebox'
import type { KeyValue } from '../../schemas/scalars.js'
import { isZone, zoneKey, zonesKey } from '../../schemas/zones.js'
import { ApiError } from '../errors.js'
import { createChecker, refuseParams, changePaths } from './params.js'

/** Maximum number of stored periods: a change of zone a day for years. */
const maxPeriods = 1000

const assertPeriods = createChecker(
  Type.Object({
    list: Type.Array(
      Type.Object({ from: Type.Number(), zone: Type.String() }, { additionalProperties: false }),
      { maxItems: maxPeriods }
    )
  })
)

/**
 * Throws `invalid-parameters-format` if the `clientData` of an event names an unknown zone; `null` removes the zone.
 * `path`: of the `clientData` in the params. Other keys are not checked.
 */
export function assertClientDataZone(clientData: KeyValue | null | undefined, path: string): void {
  if (!clientData || !Object.hasOwn(clientData, zoneKey)) return
  const zone = clientData[zoneKey]
  if (zone !== null && !isZone(zone)) refuseZone(zone, `${path}/${zoneKey}`)
}

/**
 * Throws `invalid-parameters-format` unless the time zones of the periods in an update of the private profile
 * set are known, and the periods are in order of time. An update without periods is not checked.
 */
export function assertZonePeriods(update: KeyValue, path: string): void {
  if (!Object.hasOwn(update, zonesKey) || update[zonesKey] === null) return
  const at = `${path}/${zonesKey}`
  const list = update[zonesKey]
  try {
    assertPeriods({ list })
  } catch (error) {
    throw error instanceof ApiError ? changePaths(error, inner => inner.replace(/^#\/list/, at)) : error
  }
  const periods = list as readonly { from: number; zone: string }[]
  for (const [index, { from, zone }] of periods.entries()) {
    if (!isZone(zone)) refuseZone(zone, `${at}/${index}/zone`)
    if (index > 0 && from <= periods[index - 1]!.from)
      refuseParams([
        {
          code: 'INVALID',
          message: 'must be later than that of the previous period',
          path: `${at}/${index}/from`
        }
      ])
  }
}

/**
 * Throws `invalid-parameters-format` for an unknown zone; none is valid. `path`: of the value in the params.
 */
export function assertZone(zone: string | undefined, path: string): void {
  if (zone !== undefined && !isZone(zone)) refuseZone(zone, path)
}

function refuseZone(zone: unknown, path: string): never {
  const name = typeof zone === 'string' ? JSON.stringify(zone.slice(0, 100)) : 'another value'
  const message = `must be a time zone such as "Europe/Zurich", not ${name}`
  return refuseParams([{ code: 'INVALID', message, path }])
}
