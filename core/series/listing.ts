/** The points of a range as a list that is read chunk by chunk. */
import type { Form, PointPage, Range } from '../../storage/series/page.js'
import type { UserStore } from '../../storage/user-store.js'
import type { Listing, Page } from '../json.js'

export interface PointsQuery extends Form {
  /** The holder's number. */
  readonly event: number
  readonly range: Range
  readonly isAscending: boolean
  /** Points at most. */
  readonly limit: number
}

/** Reads the points of a query. */
export class PointListing implements Listing<UserStore> {
  #left: number
  #rest: Range | undefined

  constructor(private readonly query: PointsQuery) {
    this.#left = query.limit
    this.#rest = query.range
  }

  next(store: UserStore): Page {
    const { text, count, rest } = this.#page(store)
    this.#left -= count
    this.#rest = rest
    return { text, count, done: rest === undefined || this.#left <= 0 }
  }

  #page({ series }: UserStore): PointPage {
    if (!this.#rest || this.#left <= 0) return { text: '', count: 0, rest: undefined }
    const { event, isAscending } = this.query
    return isAscending
      ? series.next(event, this.#rest, this.query, this.#left)
      : series.previous(event, this.#rest, this.query, this.#left)
  }
}
