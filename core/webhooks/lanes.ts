/** Bounded concurrency, overall and by key (host, user): who is slow holds up only what shares a key with it. */

interface Waiting {
  readonly keys: readonly string[]
  start(): void
}

export class Lanes {
  readonly #running = new Map<string, number>()
  #count = 0
  /** In order of arrival. */
  #waiting: Waiting[] = []

  constructor(
    private readonly limit: number,
    /** How many of a key may run at a time. */
    private readonly limitOf: (key: string) => number
  ) {}

  get size(): number {
    return this.#count + this.#waiting.length
  }

  /** Runs work as soon as there is room. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    if (!this.#hasRoom(keys)) await new Promise<void>(resolve => this.#waiting.push({ keys, start: resolve }))
    else this.#take(keys)
    try {
      return await work()
    } finally {
      this.#give(keys)
      this.#startNext()
    }
  }

  #hasRoom(keys: readonly string[]): boolean {
    return this.#count < this.limit && keys.every(key => (this.#running.get(key) ?? 0) < this.limitOf(key))
  }

  #take(keys: readonly string[]): void {
    this.#count++
    for (const key of keys) this.#running.set(key, (this.#running.get(key) ?? 0) + 1)
  }

  #give(keys: readonly string[]): void {
    this.#count--
    for (const key of keys) {
      const left = this.#running.get(key)! - 1
      if (left > 0) this.#running.set(key, left)
      else this.#running.delete(key)
    }
  }

  /** One place has become free: the first that fits takes it. */
  #startNext(): void {
    const index = this.#waiting.findIndex(({ keys }) => this.#hasRoom(keys))
    if (index < 0) return
    const [next] = this.#waiting.splice(index, 1)
    this.#take(next!.keys)
    next!.start()
  }
}
