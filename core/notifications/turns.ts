/**
 * Runs work caused by changes in time slices, per user. Short work runs at once. Long work, such as evaluating an
 * event in thousands of streams for hundreds of accesses, yields to the event loop between slices.
 */
import type { Steps } from '../../storage/steps.js'

/** Length of a slice, in milliseconds. */
const turnMs = 10
/** Pieces of work of one user that may wait in memory before writers have to wait (backpressure). */
const maxWaiting = 20

export class Turns {
  /** Waiting work by user, in order of arrival. */
  readonly #waiting = new Map<string, Steps<void>[]>()
  readonly #waitingForRoom = new Map<string, (() => void)[]>()
  #timer: NodeJS.Immediate | undefined
  /** Time that may still be spent at once in this turn of the event loop, in milliseconds. */
  #leftMs = turnMs
  #renewal: NodeJS.Immediate | undefined

  constructor(private readonly onTrouble: (cause: unknown) => void) {}

  /** Runs a user's work after that already waiting. */
  add(username: string, work: Steps<void>): void {
    const queue = this.#waiting.get(username)
    if (queue) queue.push(work)
    else if (!this.#runAtOnce(work)) {
      this.#waiting.set(username, [work])
      this.#goOn()
    }
  }

  /** Resolves when there is room for more of a user's work; `undefined` if there is. */
  eased(username: string): Promise<void> | undefined {
    if (!this.#isCrowded(username)) return undefined
    return new Promise(resolve => {
      const others = this.#waitingForRoom.get(username)
      if (others) others.push(resolve)
      else this.#waitingForRoom.set(username, [resolve])
    })
  }

  /** Drops all waiting work. */
  close(): void {
    clearImmediate(this.#timer)
    clearImmediate(this.#renewal)
    this.#waiting.clear()
    for (const username of this.#waitingForRoom.keys()) this.#ease(username)
  }

  #isCrowded(username: string): boolean {
    return (this.#waiting.get(username)?.length ?? 0) > maxWaiting
  }

  #ease(username: string): void {
    const waiting = this.#waitingForRoom.get(username) ?? []
    this.#waitingForRoom.delete(username)
    for (const resolve of waiting) resolve()
  }

  /**
   * Runs work immediately. Changes in the same turn of the event loop share one time budget. Returns whether the work
   * is done.
   */
  #runAtOnce(work: Steps<void>): boolean {
    if (this.#leftMs <= 0) return false
    this.#renewal ??= setImmediate(() => {
      this.#renewal = undefined
      this.#leftMs = turnMs
    })
    const begun = performance.now()
    const isDone = this.#run(work, begun + this.#leftMs)
    this.#leftMs -= performance.now() - begun
    return isDone
  }

  #goOn(): void {
    this.#timer ??= setImmediate(() => {
      this.#timer = undefined
      this.#turn()
      if (this.#waiting.size > 0) this.#goOn()
    })
  }

  /** Runs one user's work for a slice; the next slice belongs to another user. */
  #turn(): void {
    const [next] = this.#waiting
    if (!next) return
    const [username, queue] = next
    this.#waiting.delete(username)
    const end = performance.now() + turnMs
    while (queue.length > 0 && this.#run(queue[0]!, end)) queue.shift()
    if (queue.length > 0) this.#waiting.set(username, queue)
    if (!this.#isCrowded(username)) this.#ease(username)
  }

  /** Runs work until it is done or the slice ends; returns whether it is done. */
  #run(work: Steps<void>, end: number): boolean {
    try {
      while (!work.next().done) if (performance.now() > end) return false
    } catch (cause) {
      this.onTrouble(cause)
    }
    return true
  }
}
