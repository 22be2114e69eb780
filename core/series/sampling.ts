/** Down-sampling for charts: of each part of a range, the rows that hold the least and the greatest value of a column. */
import type { Form, Range } from '../../storage/series/page.js'
import type { Row } from '../../storage/series/rows.js'
import type { UserStore } from '../../storage/user-store.js'
import type { Listing, Page } from '../json.js'

export interface SamplingQuery extends Form {
  /** The holder's number. */
  readonly event: number
  /** Finite. */
  readonly range: Range
  readonly buckets: number
}

/** Reads a range whole and keeps little of it. */
export class SampledListing implements Listing<UserStore> {
  #rest: Range | undefined
  #bucket = 0
  /** For each cell after deltaTime, the rows with its extremes in the present bucket. */
  #least: (Row | undefined)[] = []
  #greatest: (Row | undefined)[] = []
  /** The first row of the bucket: all there is if no column holds numbers. */
  #first: Row | undefined

  constructor(private readonly query: SamplingQuery) {
    this.#rest = query.range
  }

  next(store: UserStore): Page {
    if (!this.#rest) return { text: '', count: 0, done: true }
    const { event } = this.query
    const { text, rest } = store.series.next(event, this.#rest, { ...this.query, isFine: true })
    this.#rest = rest
    const kept: Row[] = []
    for (const row of JSON.parse(`[${text}]`) as Row[]) this.#take(row, kept)
    if (!rest) kept.push(...this.#close())
    return { text: this.#textOf(kept), count: kept.length, done: rest === undefined }
  }

  #take(row: Row, kept: Row[]): void {
    const { range, buckets } = this.query
    const bucket = Math.floor(((row[0] - range.from) / (range.to - range.from)) * buckets)
    if (bucket !== this.#bucket) {
      kept.push(...this.#close())
      this.#bucket = bucket
    }
    this.#first ??= row
    for (let at = 1; at < row.length; at++) {
      const value = row[at]
      if (typeof value !== 'number') continue
      const least = this.#least[at]
      const greatest = this.#greatest[at]
      if (!least || value < (least[at] as number)) this.#least[at] = row
      if (!greatest || value > (greatest[at] as number)) this.#greatest[at] = row
    }
  }

  /** The rows that stand for the bucket, by time. */
  #close(): Row[] {
    const rows = new Set([...this.#least, ...this.#greatest].filter(row => row !== undefined))
    if (rows.size === 0 && this.#first) rows.add(this.#first)
    this.#least = []
    this.#greatest = []
    this.#first = undefined
    return [...rows].toSorted((a, b) => a[0] - b[0])
  }

  #textOf(rows: readonly Row[]): string {
    const shown = this.query.isFine
      ? rows
      : rows.map(([time, ...cells]) => [Math.round(time * 1e3) / 1e3, ...cells])
    return JSON.stringify(shown).slice(1, -1)
  }
}
