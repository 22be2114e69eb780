/** The calls of one socket: made in the order they were sent, one after the other, at a bounded rate. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

/** Time after which others get their turn, in milliseconds. */
const turnMs = 5
const secondMs = 1000

export interface QueueOptions {
  readonly perSecond: number
  readonly maxWaiting: number
  /** Waits until there is room for another answer; `undefined` if there is already. */
  drained(): Promise<void> | undefined
  /** Told when everything has been done. */
  settled(): void
}

/** Does one piece of work. Never rejects. */
export type Work = () => Promise<void>

export class CallQueue {
  #waiting: Work[] = []
  #running: Promise<void> | undefined
  #isEnded = false
  #secondStart = 0
  #countInSecond = 0

  constructor(private readonly options: QueueOptions) {}

  /** Adds work; `false` if too much waits already. */
  add(work: Work): boolean {
    if (this.#isEnded || this.#waiting.length >= this.options.maxWaiting) return false
    this.#waiting.push(work)
    this.#running ??= this.#run()
    return true
  }

  /** Pieces of work that wait or run. */
  get load(): number {
    return this.#waiting.length + (this.#running ? 1 : 0)
  }

  /** Drops what waits. Resolves when what runs is over. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#waiting = []
    await this.#running
  }

  async #run(): Promise<void> {
    let turnStart = performance.now()
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await next()
      const now = performance.now()
      const waiting = this.options.drained() ?? this.#keepPace(now)
      if (waiting) await waiting
      if (now - turnStart > turnMs) {
        await nextTurn()
        turnStart = performance.now()
      }
    }
    this.#running = undefined
    this.options.settled()
  }

  /** Waits for the next second when the calls of this one are used up. */
  #keepPace(now: number): Promise<void> | undefined {
    if (now - this.#secondStart >= secondMs) {
      this.#secondStart = now
      this.#countInSecond = 0
    }
    if (++this.#countInSecond < this.options.perSecond) return undefined
    return pause(this.#secondStart + secondMs - now)
  }
}
