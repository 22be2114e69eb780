/** The calls of one socket: made one at a time in the order in which they were sent, at a limited rate. */
import { setTimeout as pause } from 'node:timers/promises'
import { scheduler, type Party } from '../../storage/scheduler.js'

/** Time after which the queue waits for its next turn, in milliseconds. */
const turnMs = 5
const secondMs = 1000

export interface QueueOptions {
  /** Whose turns the calls take. */
  readonly party: Party
  readonly perSecond: number
  readonly maxWaiting: number
  /** Waits until there is room for another response; `undefined` if there is. */
  drained(): Promise<void> | undefined
  /** Called when all work is done. */
  settled(): void
}

/** One piece of work. Never rejects. */
export type Work = () => Promise<void>

export class CallQueue {
  #waiting: Work[] = []
  #running: Promise<void> | undefined
  #isEnded = false
  #secondStart = 0
  #countInSecond = 0

  constructor(private readonly options: QueueOptions) {}

  /** Adds work; returns `false` if the queue is full. */
  add(work: Work): boolean {
    if (this.#isEnded || this.#waiting.length >= this.options.maxWaiting) return false
    this.#waiting.push(work)
    this.#running ??= this.#run()
    return true
  }

  /** Number of pieces of work that wait or run. */
  get load(): number {
    return this.#waiting.length + (this.#running ? 1 : 0)
  }

  /** Drops all waiting work. Resolves when the running piece has finished. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#waiting = []
    await this.#running
  }

  async #run(): Promise<void> {
    const turn = scheduler.createTurns(this.options.party)
    const first = turn()
    if (first) await first
    let turnStart = performance.now()
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await next()
      const now = performance.now()
      const waiting = this.options.drained() ?? this.#keepPace(now)
      if (waiting) await waiting
      if (now - turnStart > turnMs) {
        await turn()
        turnStart = performance.now()
      }
    }
    this.#running = undefined
    this.options.settled()
  }

  /** Waits for the next second once this one's calls are used up. */
  #keepPace(now: number): Promise<void> | undefined {
    if (now - this.#secondStart >= secondMs) {
      this.#secondStart = now
      this.#countInSecond = 0
    }
    if (++this.#countInSecond < this.options.perSecond) return undefined
    return pause(this.#secondStart + secondMs - now)
  }
}
