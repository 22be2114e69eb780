/** The points of a range as a list that is read chunk by chunk. */
import type { RowFormat, PointBytes, PointPage, Range } from '../../storage/series/page.js'
import type { SeriesRepository } from '../../storage/repositories/series.js'
import type { Listing, Page } from '../json/json-text.js'
import type { Reader } from '../call/reader.js'

export interface PointsQuery extends RowFormat {
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
