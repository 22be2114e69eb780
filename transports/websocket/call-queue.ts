/** Queues the calls of one socket, which are made one at a time, in order, and at a limited rate. */
import { setTimeout as pause } from 'node:timers/promises'
import { scheduler, type Party } from '../../storage/scheduler.js'

/** Milliseconds after which the queue waits for its next turn. */
const sliceMs = 5
const secondMs = 1000

interface CallQueueOptions {
  /** The account and access whose turns the calls take. */
  readonly party: Party
  readonly maxPerSecond: number
  readonly maxWaiting: number
  /** Resolves when there is room for another response; returns `undefined` if there is room already. */
  waitUntilDrained(): Promise<void> | undefined
  /** Called when all work is done. */
  onIdle(): void
}

/** A queued call. Never rejects. */
type Work = () => Promise<void>

export class CallQueue {
  #waiting: Work[] = []
  #running: Promise<void> | undefined
  #isEnded = false
  #secondStart = 0
  #countInSecond = 0

  constructor(private readonly options: CallQueueOptions) {}

  /** Adds work; returns `false` if the queue is full or has ended. */
  add(work: Work): boolean {
    if (this.#isEnded || this.#waiting.length >= this.options.maxWaiting) return false
    this.#waiting.push(work)
    this.#running ??= this.#run()
    return true
  }

  /** Number of calls that wait or run. */
  get pendingCount(): number {
    return this.#waiting.length + (this.#running ? 1 : 0)
  }

  /** Drops all waiting calls. Resolves when the running call has finished. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#waiting = []
    await this.#running
  }

  /**
   * Makes the waiting calls one after another until none is left, waiting while the client does not read or exceeds
   * the rate.
   */
  async #run(): Promise<void> {
    const turn = scheduler.createTurns(this.options.party)
    const first = turn()
    if (first) await first
    let turnStart = performance.now()
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await next()
      const now = performance.now()
      const waiting = this.options.waitUntilDrained() ?? this.#waitForRate(now)
      if (waiting) await waiting
      if (now - turnStart > sliceMs) {
        await turn()
        turnStart = performance.now()
      }
    }
    this.#running = undefined
    this.options.onIdle()
  }

  /** Waits for the next second if the maximum number of calls for this second is reached. */
  #waitForRate(now: number): Promise<void> | undefined {
    if (now - this.#secondStart >= secondMs) {
      this.#secondStart = now
      this.#countInSecond = 0
    }
    if (++this.#countInSecond < this.options.maxPerSecond) return undefined
    return pause(this.#secondStart + secondMs - now)
  }
}
