/** Which points a call is about. (docs/spec/series.md#reading-points) */
import { Type } from 'typebox'
import { orNull } from '../../schemas/scalars.js'
import type { Range } from '../../storage/series/page.js'
import { refuseParams } from '../validation/params.js'

/** The bounds of a range, as params. */
export const bounds = { fromDeltaTime: orNull(Type.Number()), toDeltaTime: orNull(Type.Number()) }

interface Bounds {
  readonly fromDeltaTime?: number
  readonly toDeltaTime?: number
}

/** Raises `invalid-parameters-format` for a range that ends before it begins. */
export function assertRangeOrder({ fromDeltaTime, toDeltaTime }: Bounds): void {
  if (fromDeltaTime !== undefined && toDeltaTime !== undefined && toDeltaTime < fromDeltaTime)
    refuseParams([{ code: 'MINIMUM', message: 'must not be before fromDeltaTime', path: '#/toDeltaTime' }])
}

/** From the first bound, inclusive, to the second, exclusive: the beginning and the present unless given. */
export function resolveRange(
  { fromDeltaTime, toDeltaTime }: Bounds,
  { time }: { time: number },
  now: number
): Range {
  return { from: fromDeltaTime ?? 0, to: toDeltaTime ?? now - time }
}
