/** The measures of one user: reads events and series together. (docs/api/measure-methods.md) */
import type { Database } from 'better-sqlite3'
import { readContents, type ContentsQuery } from './contents-run.js'
import { collectFacts, countData, type MeasureFact, type MeasureFactsQuery } from './facts-run.js'
import { MeasureRun, type MeasureStore } from './reading.js'
import { SharedRuns, type SharedKey } from './shared-runs.js'
import { aggregateValues, type SourceValues, type ValuesQuery } from './values-run.js'
import { FairQueue } from '../scheduler.js'
import { readInTransaction } from '../sqlite/statements.js'
import type { EventRepository } from '../repositories/events.js'
import type { SeriesRepository } from '../repositories/series.js'

/**
 * Time after which a large read that was neither continued nor released no longer keeps others waiting, in milliseconds. On a busy
 * machine, a read may wait for seconds for its next step.
 */
const leaseMs = 10_000
/** Cells of a grid, of 20 bytes, that take as much memory as a value. */
const cellsPerValue = 7

/**
 * Number of values that the large reads of all accounts hold before only the one whose turn began first reads on, and number up to which
 * a read goes on all the same.
 */
const [maxTotal, maxMiddle] = [2_000_000, 20_000]
/** The repositories of which a large read has its turn, in the order in which the turns began. */
const busy = new Set<MeasureRepository>()

/** Starts reads of measures in one account's file. */
export class MeasureRepository {
  readonly #shared = new SharedRuns()
  /** The read that holds many values, weakly: it may be abandoned. */
  #large: WeakRef<MeasureRun<unknown>> | undefined
  /** When its turn ends unless it is continued, by `performance.now()`. */
  #largeUntilMs = 0
  /** The call that reads it on, or combines its result, weakly as well, and when that ends unless it is continued. */
  #user: WeakRef<object> | undefined
  #userUntilMs = 0
  /** Large reads that wait for their turn, weakly as well: accesses take turns. */
  readonly #waiting = new FairQueue<WeakRef<MeasureRun<unknown>>>()

  constructor(
    private readonly db: Database,
    private readonly events: EventRepository,
    private readonly series: SeriesRepository
  ) {}

  /**
   * Starts aggregating numbers; nothing is read before the first step. Calls with the same `key` share one read, so its result
   * must not be changed.
   */
  createValues(query: ValuesQuery, key: SharedKey | undefined): MeasureRun<readonly SourceValues[]> {
    const held = Math.ceil(query.gridCells / cellsPerValue)
    return this.#share(key, () => new MeasureRun(reading => aggregateValues(reading, query), held))
  }

  /**
   * Starts reading contents; nothing is read before the first step. If the sources have to be ordered, the result is the
   * number of events and points of each.
   */
  createContents(query: ContentsQuery): MeasureRun<ReadonlyMap<number, number>> {
    const { measure, scope, types } = query
    const sources = new Set<number>()
    const take: ContentsQuery['take'] = content => {
      sources.add(content.source)
      query.take(content)
    }
    return new MeasureRun(function* (reading) {
      const steps = readContents(reading, { ...query, take })
      let kept = 0
      const count = (): void => {
        const now = query.countHeld?.() ?? 0
        reading.held += now - kept
        kept = now
      }
      for (; !steps.next().done; yield) count()
      count()
      reading.held = kept
      return yield* countData(
        reading,
        { scope, measure, measureTypes: types.map(({ name }) => name) },
        sources
      )
    })
  }

  /** Starts reading contents of sources in no particular order. Nothing is read yet. */
  createReadings(query: ContentsQuery): MeasureRun<true> {
    return new MeasureRun(reading => readContents(reading, query))
  }

  /** Starts collecting facts. Nothing is read yet. Calls with the same `key` share one read. */
  createFacts(query: MeasureFactsQuery, key?: SharedKey): MeasureRun<readonly MeasureFact[]> {
    return this.#share(key, () => new MeasureRun(reading => collectFacts(reading, query)))
  }

  /** Records that a call begins to use a run, which others may share. Ends with {@link release}. */
  use(run: MeasureRun<unknown>): void {
    run.users++
  }

  /**
   * Returns whether a large run, also a complete one whose result is in use, must wait for others of the account, whose accesses take
   * turns, or for those of others that hold too much. Called before each use by a call of `access`: a run keeps its turn until all that
   * use it have called {@link release}, or else for ten seconds after the last use. Calls that share a complete run wait for each other
   * in the same way: combining its result takes megabytes. `user`: identifies the call.
   */
  mustWait(run: MeasureRun<unknown>, access: string, user: object = run): boolean {
    if (!run.isLarge) return false
    const nowMs = performance.now()
    if (this.#findLarge(nowMs) !== run) {
      if (!run.isWaiting) this.#waiting.add({ account: '', access }, new WeakRef(run))
      run.isWaiting = true
      if (!this.#findLarge(nowMs)) this.#startNext(nowMs)
      if (this.#findLarge(nowMs) !== run) return true
    }
    this.#largeUntilMs = nowMs + leaseMs
    const current = nowMs < this.#userUntilMs ? this.#user?.deref() : undefined
    if (run.isComplete && current && current !== user) return true
    if (current !== user) this.#user = new WeakRef(user)
    this.#userUntilMs = nowMs + leaseMs
    return this.#mustWaitForOthers(nowMs) && run.held > maxMiddle && !run.isComplete
  }

  /** Ends the use of a run by a call: the next call that shares it goes on, and once no call uses it, the next large run. */
  release(run: MeasureRun<unknown>, user: object = run): void {
    if (this.#user?.deref() === user) this.#user = undefined
    run.users--
    if (run.users > 0) return
    if (run.isWaiting) this.#waiting.remove(waiting => waiting.deref() === run)
    run.isWaiting = false
    if (this.#large?.deref() === run) this.#startNext(performance.now())
  }

  /** Gives the turn to the next run that waits, if any. */
  #startNext(nowMs: number): void {
    busy.delete(this)
    this.#user = undefined
    do this.#large = this.#waiting.take()?.item
    while (this.#large && !this.#large.deref())
    const run = this.#large?.deref()
    if (!run) return
    run.isWaiting = false
    this.#largeUntilMs = nowMs + leaseMs
    busy.add(this)
  }

  /** Returns the run that has its turn, if any. */
  #findLarge(nowMs: number): MeasureRun<unknown> | undefined {
    return nowMs < this.#largeUntilMs ? this.#large?.deref() : undefined
  }

  /** Returns whether others hold too much, and forgets accounts of which no read has its turn any more. */
  #mustWaitForOthers(nowMs: number): boolean {
    let total = 0
    for (const each of busy) {
      const held = each.#findLarge(nowMs)?.held
      if (held === undefined) busy.delete(each)
      else total += held
    }
    const [first] = busy
    return total > maxTotal && first !== this
  }

  /**
   * Continues a run for a few milliseconds. Returns its result once it is complete, `undefined` before. After
   * a failure, each call throws its error.
   */
  next<T>(run: MeasureRun<T>): T | undefined {
    return readInTransaction(this.db, () => run.next(this.#store))
  }

  #share<T>(key: SharedKey | undefined, start: () => MeasureRun<T>): MeasureRun<T> {
    return key ? this.#shared.get(key, start) : start()
  }

  get #store(): MeasureStore {
    const { facts, summableRanges } = this.events.links
    return { db: this.db, facts, summableRanges, series: this.series }
  }
}
