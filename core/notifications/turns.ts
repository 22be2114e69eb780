/**
 * Runs work caused by changes in slices, per user. Short work runs at once. Long work, such as evaluating an event in
 * thousands of streams for hundreds of accesses, waits for its turn before each slice.
 */
import { scheduler } from '../../storage/scheduler.js'
import type { Steps } from '../../storage/steps.js'

/** Length of a slice, in milliseconds. */
const sliceMs = 10
/** Pieces of work of one user that may wait in memory before writers have to wait (backpressure). */
const maxWaiting = 20

export class Turns {
  /** Waiting work by user, in order of arrival. */
  readonly #waiting = new Map<string, Steps<void>[]>()
  readonly #waitingForRoom = new Map<string, (() => void)[]>()

  constructor(private readonly onTrouble: (cause: unknown) => void) {}

  /** Runs a user's work after that already waiting; at once if there is time. */
  add(username: string, work: Steps<void>): void {
    const queue = this.#waiting.get(username)
    if (queue) {
      queue.push(work)
      return
    }
    const { leftMs } = scheduler
    if (leftMs > 0 && this.#run(work, performance.now() + leftMs)) return
    this.#waiting.set(username, [work])
    this.#goOn(username)
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

  #goOn(username: string): void {
    scheduler.add({ account: username, access: '' }, () => this.#slice(username))
  }

  /** Runs a user's work for a slice. */
  #slice(username: string): void {
    const queue = this.#waiting.get(username)
    if (!queue) return
    const end = performance.now() + sliceMs
    while (queue.length > 0 && this.#run(queue[0]!, end)) queue.shift()
    if (this.#waiting.get(username) === queue)
      if (queue.length > 0) this.#goOn(username)
      else this.#waiting.delete(username)
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
