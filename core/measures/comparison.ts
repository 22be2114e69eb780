/** Compares the values of two measures day by day. (docs/api/measure-methods.md#comparing) */
import { emptyPage, type Listing, type Page } from '../json/json-text.js'
import { ReaderVersion, type Reader } from '../call/reader.js'
import type { Call } from '../call/method.js'
import { startDays } from './day-values.js'
import type { DayRange } from './grids.js'
import type { MeasureForm } from './known-measures.js'
import { correlateRanks } from './rank-correlation.js'
import { RunListing } from './run-listing.js'

interface ComparisonRequest {
  readonly measures: readonly [MeasureForm, MeasureForm]
  readonly streams: unknown
  readonly days: DayRange
  /** The largest number of days by which the second measure is shifted, in both directions. */
  readonly maxLag: number
}

/**
 * Lists the correlation for each lag, from the smallest to the largest, once both measures have been read; of
 * pairs, by their first number. Begins again if the permissions of the reader change.
 */
export class ComparisonListing implements Listing<Reader> {
  readonly #permissions: ReaderVersion
  /** By day, for each measure. */
  #values: readonly Map<number, number>[] = []
  /** What is still to be read. */
  #runs: RunListing<unknown>[] = []

  constructor(
    private readonly call: Call,
    private readonly request: ComparisonRequest
  ) {
    this.#permissions = new ReaderVersion(call)
    this.#begin(call)
  }

  next(reader: Reader): Page {
    // What has been read may include what this reader must not see.
    if (this.#permissions.hasChanged(reader)) this.#begin({ ...this.call, ...reader })
    const [run] = this.#runs
    if (run) {
      const { done, isWaiting } = run.next(reader)
      if (done) this.#runs.shift()
      return { ...emptyPage, isWaiting }
    }
    const { maxLag } = this.request
    const lags = Array.from({ length: 2 * maxLag + 1 }, (_, at) => at - maxLag)
    const texts = lags.map(lag => JSON.stringify(this.#compare(lag, lags.length)))
    return { text: texts.join(','), count: texts.length, done: true }
  }

  close(): void {
    for (const run of this.#runs) run.close()
  }

  /** Starts reading the days of both measures, from the beginning. */
  #begin(call: Call): void {
    this.close()
    const { days, measures, streams } = this.request
    this.#values = [new Map(), new Map()]
    this.#runs = measures.map((measure, index) => {
      const values = this.#values[index]!
      const format = ({ day, value }: { readonly day: number; readonly value: unknown }): string => {
        const number: unknown = Array.isArray(value) ? value[0] : value
        if (typeof number === 'number') values.set(day, number)
        return ''
      }
      return new RunListing(call, streams, reading =>
        startDays(reading, { measure, streams, unit: undefined, days, format })
      )
    })
  }

  #compare(lag: number, comparisons: number): object {
    const [first, second] = this.#values as [Map<number, number>, Map<number, number>]
    const pairs: [number, number][] = []
    for (const [day, value] of first) {
      const other = second.get(day + lag)
      if (other !== undefined) pairs.push([value, other])
    }
    return { lag, days: pairs.length, ...correlateRanks(pairs, comparisons) }
  }
}
