/** Long reads for measures, written as generators and run in slices. They keep nothing of the file between slices. */
import type { Database } from 'better-sqlite3'
import type { StreamFacts } from '../event-values/stream-facts.js'
import type { SummableRanges } from '../event-values/summable-ranges.js'
import type { SeriesRepository } from '../repositories/series.js'

/** What is read of an open file. Valid within a slice. */
export interface MeasureStore {
  readonly db: Database
  readonly facts: StreamFacts
  readonly summableRanges: SummableRanges
  readonly series: SeriesRepository
}

/** Holds the store of the current slice: generators look it up again after each `yield`. */
export interface Reading {
  store: MeasureStore
}

/** Work that may pause wherever it yields. */
export type MeasureSteps<T> = Generator<void, T, void>

/** Approximate duration of a slice, in milliseconds. */
const sliceMs = 8

/** A read in slices. */
export class MeasureRun<T> {
  #reading: Reading | undefined
  #steps: MeasureSteps<T> | undefined

  constructor(private readonly start: (reading: Reading) => MeasureSteps<T>) {}

  /** Continues for a few milliseconds. Returns the result once it is complete. */
  next(store: MeasureStore): T | undefined {
    const end = performance.now() + sliceMs
    if (this.#reading) this.#reading.store = store
    else this.#reading = { store }
    this.#steps ??= this.start(this.#reading)
    do {
      const { done, value } = this.#steps.next()
      if (done) return value
    } while (performance.now() < end)
    return undefined
  }
}
