/** Runs a read of measures in slices, and lists its result in pages. */
import type { MeasureRepository } from '../../storage/measures/measure-repository.js'
import type { MeasureRun } from '../../storage/measures/reading.js'
import { ReaderVersion, type Reader } from '../call/reader.js'
import { fail } from '../errors.js'
import { emptyPage, type Listing, type Page } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import { describeMeasureScope } from './scope.js'

/** An item of the result. */
interface Item {
  /** Identifies it if the list is made again for other permissions. Numbers are in ascending order. */
  readonly key: number | string
  /** Its JSON text. */
  readonly text: string
}

/** The items in order; pauses at `undefined`. */
export type Items = Generator<Item | undefined, void, void>

/** A read that has been started for a reader. */
export interface StartedRun<T> {
  readonly run: MeasureRun<T>
  /** Returns the items. `getReader` returns the reader of the current page. */
  finish(getReader: () => Reader, result: T): Items
}

/** Approximate duration of a page, in milliseconds, and maximum number of its items. */
const pageMs = 8
const pageItems = 500
/** Maximum number of values that a read may hold in memory, of all sources: hours of thirty years of four sources. */
const maxHeld = 1_100_000

/**
 * Lists the result of a read of measures, in pages of a few milliseconds. If the reader must not see all of
 * it any more, it is read again, and only what was not sent before is listed.
 */
export class RunListing<T> implements Listing<Reader> {
  readonly #permissions: ReaderVersion
  readonly #sent = new Set<string>()
  /** `undefined` between the first page and the second one if nothing could be listed yet. */
  #started: StartedRun<T> | undefined
  /** The one of the first page, weakly: calls that share it may complete it while this one waits, and hundreds may wait. */
  #first: WeakRef<StartedRun<T>> | undefined
  #isInUse = false
  #items: Items | undefined
  #reader: Reader
  #scope: string
  /** The greatest key that has been sent. */
  #last = -Infinity

  /**
   * `start` begins a read for a caller of events in `streams`; it is called again if that is another scope by then. It gets a text for
   * the scope: see `describeMeasureScope`.
   */
  constructor(
    private readonly call: Call,
    private readonly streams: unknown,
    private readonly start: (call: Call, scope: string) => StartedRun<T>
  ) {
    this.#permissions = new ReaderVersion(call)
    this.#reader = call
    this.#scope = describeMeasureScope(call, streams)
    this.#started = start(call, this.#scope)
  }

  next(reader: Reader): Page {
    try {
      const page = this.#readNext(reader)
      if (page.done) this.close()
      return page
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Lets other large reads of the account go on. */
  close(): void {
    if (!this.#isInUse) return
    this.#isInUse = false
    this.#reader.store.measures.release(this.#started!.run, this)
  }

  #readNext(reader: Reader): Page {
    this.#reader = reader
    if (this.#permissions.hasChanged(reader)) this.#restartIfNeeded({ ...this.call, ...reader })
    const { measures } = reader.store
    const isFirst = !this.#first
    this.#started ??= this.#first?.deref() ?? this.start({ ...this.call, ...reader }, this.#scope)
    const started = this.#started
    // Much time may pass between the first page and the others: meanwhile, other reads go on, also if this one is shared.
    if (isFirst) this.#first = new WeakRef(started)
    else {
      if (!this.#isInUse) measures.use(started.run)
      this.#isInUse = true
      if (measures.mustWait(started.run, reader.caller.accessId, this))
        return { ...emptyPage, isWaiting: true }
    }
    const page = this.#continue(measures, started, isFirst)
    if (isFirst && !this.#items) this.#started = undefined
    return page
  }

  /** Reads on; what is or becomes large on the first page waits. */
  #continue(measures: MeasureRepository, started: StartedRun<T>, isFirst: boolean): Page {
    const { run } = started
    const mustWait = (): boolean => isFirst && run.isLarge
    if (!this.#items) {
      const result = mustWait() ? undefined : measures.next(run)
      if (run.held > maxHeld) fail('too-many-results')
      if (result === undefined || mustWait()) return { ...emptyPage, isWaiting: mustWait() }
      this.#items = started.finish(() => this.#reader, result)
    }
    const page = this.#readPage(this.#items)
    return page.done ? page : { ...page, holdsValue: run.isLarge }
  }

  /**
   * Starts again if what has been read may include what this reader must not see. Other changes of the tree, such as new
   * names, are frequent.
   */
  #restartIfNeeded(call: Call): void {
    const scope = describeMeasureScope(call, this.streams)
    if (scope === this.#scope) return
    this.#scope = scope
    this.close()
    this.#started = this.start(call, scope)
    this.#items = undefined
  }

  #readPage(items: Items): Page {
    const end = performance.now() + pageMs
    const texts: string[] = []
    do {
      const { done, value } = items.next()
      if (done) return { text: texts.join(','), count: texts.length, done: true }
      if (value && this.#isNew(value)) texts.push(value.text)
    } while (texts.length < pageItems && performance.now() < end)
    return { text: texts.join(','), count: texts.length, done: false }
  }

  /** Returns whether an item has not been sent before the list was started again. */
  #isNew({ key }: Item): boolean {
    if (typeof key === 'number') {
      if (key <= this.#last) return false
      this.#last = key
    } else {
      if (this.#sent.has(key)) return false
      this.#sent.add(key)
    }
    return true
  }
}
