/** The range of points that a call is about. (docs/spec/series.md#reading-points) */
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

/** Throws `invalid-parameters-format` for a range that ends before it begins. */
export function assertRangeOrder({ fromDeltaTime, toDeltaTime }: Bounds): void {
  if (fromDeltaTime !== undefined && toDeltaTime !== undefined && toDeltaTime < fromDeltaTime)
    refuseParams([{ code: 'MINIMUM', message: 'must not be before fromDeltaTime', path: '#/toDeltaTime' }])
}

/**
 * Returns the range from the first bound, inclusive, to the second, exclusive: by default from the beginning
 * to the present. Bounds are deltaTimes, in seconds since the `time` of the holder.
 */
export function resolveRange(
  { fromDeltaTime, toDeltaTime }: Bounds,
  { time }: { time: number },
  now: number
): Range {
  return { from: fromDeltaTime ?? 0, to: toDeltaTime ?? now - time }
}
