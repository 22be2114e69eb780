/** Runs a limited number of tasks concurrently, the others in order of arrival. */
export class Semaphore {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** `refuse` throws the error for a task that would make more than `maxWaiting` wait. */
  constructor(
    private readonly concurrency: number,
    private readonly maxWaiting: number,
    private readonly refuse: () => never
  ) {}

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs a task once a slot is free, and settles as the task does. Calls `refuse` if too many tasks wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.concurrency) this.#running++
    else {
      if (this.#waiting.length >= this.maxWaiting) this.refuse()
      // A task that ends passes its slot on, so that the number of running tasks stays the same.
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
