/** Runs a read of measures in slices, and returns its result as a list at once. */
import type { MeasureRun } from '../../storage/measures/reading.js'
import { ReaderVersion, type Reader } from '../call/reader.js'
import type { Listing, Page } from '../json/json-text.js'
import type { Call } from '../call/method.js'

/** A read that has been started for a reader. */
export interface StartedRun<T> {
  readonly run: MeasureRun<T>
  /** Returns the JSON texts of the items. */
  finish(reader: Reader, result: T): string[]
}

export class RunListing<T> implements Listing<Reader> {
  readonly #permissions: ReaderVersion
  #started: StartedRun<T>

  /** `start` begins a read for a caller; it is called again if the caller's permissions change. */
  constructor(
    private readonly call: Call,
    private readonly start: (call: Call) => StartedRun<T>
  ) {
    this.#permissions = new ReaderVersion(call)
    this.#started = start(call)
  }

  next(reader: Reader): Page {
    // What has been read so far may include what this reader must not see: start again.
    if (this.#permissions.hasChanged(reader)) this.#started = this.start({ ...this.call, ...reader })
    const result = reader.store.measures.next(this.#started.run)
    if (result === undefined) return { text: '', count: 0, done: false }
    const texts = this.#started.finish(reader, result)
    return { text: texts.join(','), count: texts.length, done: true }
  }
}
