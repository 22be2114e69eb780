/**
 * Reads of one account that several calls share: a dashboard asks for the same numbers several times, at once or in short succession.
 * Nothing is shared across a commit, so results are exact.
 */
import type { MeasureRun } from './reading.js'

/** Identifies a read. */
export interface SharedKey {
  /** The account's version when the read is asked for: see `UserStore.version`. */
  readonly version: number
  /** The same for reads that have the same result, and for callers that may see the same. */
  readonly text: string
}

interface Shared {
  readonly owner: SharedRuns
  readonly text: string
  /** Weak: a read that no call continues is not kept in memory. */
  readonly run: WeakRef<MeasureRun<unknown>>
  /** Set once it is complete. */
  complete?: MeasureRun<unknown>
}

/** Maximum number of reads per account, and of values that the results of all accounts hold: about 150 bytes each. */
const maxRuns = 8
const maxValues = 27_000

/** Complete results, those that were used last at the end, with the number of their values. */
const kept = new Map<Shared, number>()
let keptValues = 0

/** The reads of one account that calls may share. */
export class SharedRuns {
  readonly #runs = new Map<string, Shared>()
  #version = -1

  /**
   * Returns the run of an earlier call with the same key, unless it has failed, or starts one. A new version
   * drops all earlier runs.
   */
  get<T>({ text, version }: SharedKey, start: () => MeasureRun<T>): MeasureRun<T> {
    if (version !== this.#version) this.#clear()
    this.#version = version
    const known = this.#runs.get(text)
    const found = known?.run.deref()
    if (known && found && !found.hasFailed) {
      const values = kept.get(known)
      if (values !== undefined) keep(known, values)
      return found as MeasureRun<T>
    }
    if (known) drop(known)
    if (this.#runs.size >= maxRuns) drop(this.#runs.values().next().value!)
    const run = start()
    const shared: Shared = { owner: this, text, run: new WeakRef<MeasureRun<unknown>>(run) }
    this.#runs.set(text, shared)
    run.onComplete = () => {
      if (this.#runs.get(text) !== shared) return
      shared.complete = run
      keep(shared, run.held)
    }
    return run
  }

  #clear(): void {
    for (const shared of this.#runs.values()) drop(shared)
  }

  /** Drops a result, if it is kept. */
  static drop({ owner, text }: Shared): void {
    owner.#runs.delete(text)
  }
}

/** Keeps a complete result, and drops those that have not been used for the longest time. */
function keep(shared: Shared, values: number): void {
  forget(shared)
  kept.set(shared, values)
  keptValues += values
  for (const oldest of kept.keys()) {
    if (keptValues <= maxValues) return
    drop(oldest)
  }
}

function drop(shared: Shared): void {
  forget(shared)
  SharedRuns.drop(shared)
}

function forget(shared: Shared): void {
  keptValues -= kept.get(shared) ?? 0
  kept.delete(shared)
}
