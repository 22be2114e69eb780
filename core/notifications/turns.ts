/**
 * Work that follows from changes, in turns: what is short is done at once; what takes long, such as judging an event in
 * thousands of streams for hundreds of accesses, goes on in pieces, and others get their turn in between.
 */
import type { Steps } from '../../storage/steps.js'

/** Time after which others get their turn, in milliseconds. */
const turnMs = 10
/** Pieces of work of one user that wait, at most: beyond, the oldest is ended at once. What waits is held in memory. */
const mostWaiting = 20

export class Turns {
  /** By user, in the order in which it came. */
  readonly #waiting = new Map<string, Steps<void>[]>()
  #timer: NodeJS.Immediate | undefined

  constructor(private readonly onTrouble: (cause: unknown) => void) {}

  /** Does a user's work, after what there is of it already. */
  add(username: string, work: Steps<void>): void {
    const queue = this.#waiting.get(username)
    if (queue) {
      queue.push(work)
      if (queue.length > mostWaiting) this.#run(queue.shift()!, Infinity)
    } else if (!this.#run(work, performance.now() + turnMs)) {
      this.#waiting.set(username, [work])
      this.#goOn()
    }
  }

  /** Drops what waits. */
  close(): void {
    clearImmediate(this.#timer)
    this.#waiting.clear()
  }

  #goOn(): void {
    this.#timer ??= setImmediate(() => {
      this.#timer = undefined
      this.#turn()
      if (this.#waiting.size > 0) this.#goOn()
    })
  }

  /** One user's work goes on for a while; next time it is that of another. */
  #turn(): void {
    const [next] = this.#waiting
    if (!next) return
    const [username, queue] = next
    this.#waiting.delete(username)
    const end = performance.now() + turnMs
    while (queue.length > 0 && this.#run(queue[0]!, end)) queue.shift()
    if (queue.length > 0) this.#waiting.set(username, queue)
  }

  /** Runs work until it is done, or it is time; answers whether it is done. */
  #run(work: Steps<void>, end: number): boolean {
    try {
      while (!work.next().done) if (performance.now() > end) return false
    } catch (cause) {
      this.onTrouble(cause)
    }
    return true
  }
}
