/** The points of a range: its bounds as params, and a list that is read chunk by chunk. (docs/spec/series.md#reading-points) */
import { Type } from 'typebox'
import type { RowFormat, PointBytes, PointPage, Range } from '../../storage/series/page.js'
import type { SeriesRepository } from '../../storage/repositories/series.js'
import type { Listing, Page } from '../json/json-text.js'
import type { Reader } from '../call/reader.js'
import { orNull } from '../../schemas/scalars.js'
import { refuseParams } from '../validation/params.js'

interface PointsQuery extends RowFormat {
  /** The holder's number. */
  readonly event: number
  readonly range: Range
  readonly isAscending: boolean
  /** Maximum number of points. */
  readonly limit: number
  /** Whether the pages of the listing are sent unchanged, so that they may be bytes for readers that accept bytes. */
  readonly allowsBytes?: boolean
}

/** Reads the points of a query, chunk by chunk. */
export class PointListing implements Listing<Reader> {
  #remaining: number
  #rest: Range | undefined

  constructor(private readonly query: PointsQuery) {
    this.#remaining = query.limit
    this.#rest = query.range
  }

  next({ store: { series }, acceptsBytes }: Reader): Page {
    const whole = acceptsBytes ? this.#readBytes(series) : undefined
    if (whole) {
      this.#remaining -= whole.count
      this.#rest = whole.rest
      return { text: '', bytes: whole.bytes, count: whole.count, done: false }
    }
    const { text, count, excess, rest } = this.#readPage(series)
    this.#remaining -= count
    this.#rest = rest
    return { text, count, done: rest === undefined || this.#remaining <= 0, excess }
  }

  #readBytes(series: SeriesRepository): PointBytes | undefined {
    const { event, isAscending, allowsBytes } = this.query
    if (!allowsBytes || !isAscending || !this.#rest || this.#remaining <= 0) return undefined
    return series.nextBytes(event, this.#rest, this.query, this.#remaining)
  }

  #readPage(series: SeriesRepository): PointPage {
    if (!this.#rest || this.#remaining <= 0) return { text: '', count: 0, rest: undefined }
    const { event, isAscending } = this.query
    return isAscending
      ? series.next(event, this.#rest, this.query, this.#remaining)
      : series.previous(event, this.#rest, this.query, this.#remaining)
  }
}

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
