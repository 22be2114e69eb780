/**
 * Runs work caused by changes in slices, per account. Short work runs at once. Long work, such as evaluating an event in
 * thousands of streams for hundreds of accesses, waits for its turn before each slice.
 */
import { scheduler } from '../../storage/scheduler.js'
import type { Steps } from '../../storage/steps.js'

/** Length of a slice, in milliseconds. */
const sliceMs = 10
/** Maximum number of waiting tasks of an account before writers have to wait (backpressure). */
const maxWaiting = 20

/** Runs the work of each account in order. */
export class SlicedWorkQueue {
  /** Waiting work by account id, in order of arrival. */
  readonly #waiting = new Map<string, Steps<void>[]>()
  readonly #waitingForCapacity = new Map<string, (() => void)[]>()

  constructor(private readonly onError: (cause: unknown) => void) {}

  /**
   * Runs an account's work after that already waiting; at once if there is time. Errors are passed on to the
   * handler, and end only their own work.
   */
  add(account: string, work: Steps<void>): void {
    const queue = this.#waiting.get(account)
    if (queue) {
      queue.push(work)
      return
    }
    const { leftMs } = scheduler
    if (leftMs > 0 && this.#run(work, performance.now() + leftMs)) return
    this.#waiting.set(account, [work])
    this.#continue(account)
  }

  /** Resolves when there is room for more of an account's work; `undefined` if there is room now. */
  waitForRoom(account: string): Promise<void> | undefined {
    if (!this.#isCrowded(account)) return undefined
    return new Promise(resolve => {
      const others = this.#waitingForCapacity.get(account)
      if (others) others.push(resolve)
      else this.#waitingForCapacity.set(account, [resolve])
    })
  }

  /** Drops all waiting work, and lets writers go on. */
  close(): void {
    this.#waiting.clear()
    for (const account of this.#waitingForCapacity.keys()) this.#resumeWaiting(account)
  }

  #isCrowded(account: string): boolean {
    return (this.#waiting.get(account)?.length ?? 0) > maxWaiting
  }

  #resumeWaiting(account: string): void {
    const waiting = this.#waitingForCapacity.get(account) ?? []
    this.#waitingForCapacity.delete(account)
    for (const resolve of waiting) resolve()
  }

  #continue(account: string): void {
    scheduler.add({ account, access: '' }, () => this.#runSlice(account))
  }

  /** Runs an account's work for a slice. */
  #runSlice(account: string): void {
    const queue = this.#waiting.get(account)
    if (!queue) return
    const end = performance.now() + sliceMs
    while (queue.length > 0 && this.#run(queue[0]!, end)) queue.shift()
    if (this.#waiting.get(account) === queue)
      if (queue.length > 0) this.#continue(account)
      else this.#waiting.delete(account)
    if (!this.#isCrowded(account)) this.#resumeWaiting(account)
  }

  /** Runs work until it is done or the slice ends; returns whether it is done. */
  #run(work: Steps<void>, end: number): boolean {
    try {
      while (!work.next().done) if (performance.now() > end) return false
    } catch (cause) {
      this.onError(cause)
    }
    return true
  }
}
