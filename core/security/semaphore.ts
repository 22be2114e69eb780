/** Lets a few pieces of work run at a time, the others in the order they came. */
export class Semaphore {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** `refuse` is called for work that would make more than `waitingAtMost` wait: it throws. */
  constructor(
    private readonly atOnce: number,
    private readonly waitingAtMost: number,
    private readonly refuse: () => never
  ) {}

  /** Pieces of work that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.atOnce) this.#running++
    else {
      if (this.#waiting.length >= this.waitingAtMost) this.refuse()
      // Whoever ends hands the turn on: the number of those running stays the same.
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
