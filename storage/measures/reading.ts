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
  /**
   * Number of values in memory, of about 150 bytes each. What keeps data across a `yield` adds to it, and what drops data subtracts: at
   * the end it is what the result takes.
   */
  held: number
}

/** Work that may pause wherever it yields. */
export type MeasureSteps<T> = Generator<void, T, void>

/** Approximate duration of a slice, in milliseconds. */
const sliceMs = 8

/**
 * Number of values that each read of an account may hold; only one at a time holds more. A value of a small read takes up to 500
 * bytes while the sources are combined and sorted, and there may be hundreds of reads.
 */
const maxSmall = 1000

/** A read in slices. */
export class MeasureRun<T> {
  /** Called once it is complete: `held` is then what the result takes. */
  onComplete?(): void
  /** Number of values of about 150 bytes that the read keeps in memory by now. */
  held: number
  /** Number of calls that use it, or its result. */
  users = 0
  /** True while it waits for its turn behind other large reads of its account. */
  isWaiting = false
  #reading: Reading | undefined
  #steps: MeasureSteps<T> | undefined
  #result: { readonly value: T } | undefined
  #failure: { readonly error: unknown } | undefined

  /** `held`: number of values that it keeps from the first step on: it waits for its turn before it has any. */
  constructor(
    private readonly start: (reading: Reading) => MeasureSteps<T>,
    held = 0
  ) {
    this.held = held
  }

  /** True if it holds so many values that others wait for it. */
  get isLarge(): boolean {
    return this.held > maxSmall
  }

  /** True once there is a result. */
  get isComplete(): boolean {
    return this.#result !== undefined
  }

  /** True once an error was thrown: it is thrown again. */
  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  /**
   * Continues for a few milliseconds. Returns the result once it is complete, `undefined` before. After a
   * failure, each call throws its error.
   */
  next(store: MeasureStore): T | undefined {
    if (this.#failure) throw this.#failure.error
    if (this.#result) return this.#result.value
    try {
      return this.#continue(store)
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }

  #continue(store: MeasureStore): T | undefined {
    const { isLarge } = this
    const end = performance.now() + sliceMs
    if (this.#reading) this.#reading.store = store
    else this.#reading = { store, held: this.held }
    this.#steps ??= this.start(this.#reading)
    do {
      const { done, value } = this.#steps.next()
      this.held = this.#reading.held
      if (done) return this.#complete(value)
      // A read that has become large may have to wait.
    } while (performance.now() < end && this.isLarge === isLarge)
    return undefined
  }

  #complete(value: T): T {
    this.#result = { value }
    this.#steps = this.#reading = undefined
    this.onComplete?.()
    return value
  }
}
