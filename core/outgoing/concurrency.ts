/**
 * Bounded concurrency, overall and by key (host, user): who is slow holds up only what shares a key with it. And a bounded
 * pace: a long queue leaves the rest of the service its share of the processor.
 */

export interface ConcurrencyLimits {
  /** Pieces of work at a time. */
  readonly concurrency: number
  /** Pieces of work of one key at a time. */
  of(key: string): number
  /** Pieces of work begun in a second. */
  readonly perSecond: number
}

interface Waiting {
  readonly keys: readonly string[]
  start(): void
}

/** The pace is kept in steps of so many milliseconds. */
const stepMs = 20

export class ConcurrencyLimiter {
  readonly #running = new Map<string, number>()
  readonly #perStep: number
  #count = 0
  /** In order of arrival. */
  readonly #waiting: Waiting[] = []
  #isClosed = false
  #begunInStep = 0
  #step: NodeJS.Timeout | undefined

  constructor(private readonly limits: ConcurrencyLimits) {
    this.#perStep = Math.max(1, Math.floor((limits.perSecond * stepMs) / 1000))
  }

  /** Pieces of work that wait, and those that are under way. */
  get load(): { readonly waiting: number; readonly running: number } {
    return { waiting: this.#waiting.length, running: this.#count }
  }

  /** Runs work as soon as there is room; answers `undefined` if it has been closed before that. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T | undefined> {
    if (!this.#isClosed && this.#hasRoom(keys)) this.#take(keys)
    else if (!this.#isClosed) await new Promise<void>(resolve => this.#waiting.push({ keys, start: resolve }))
    if (this.#isClosed) return undefined
    try {
      return await work()
    } finally {
      this.#give(keys)
      this.#startNext()
    }
  }

  /** Lets nothing more begin; what runs goes on. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#step)
    for (const waiting of this.#waiting.splice(0)) waiting.start()
  }

  #hasRoom(keys: readonly string[]): boolean {
    return (
      this.#begunInStep < this.#perStep &&
      this.#count < this.limits.concurrency &&
      keys.every(key => (this.#running.get(key) ?? 0) < this.limits.of(key))
    )
  }

  #take(keys: readonly string[]): void {
    this.#count++
    this.#begunInStep++
    for (const key of keys) this.#running.set(key, (this.#running.get(key) ?? 0) + 1)
    if (this.#isClosed) return
    this.#step ??= setTimeout(() => {
      this.#step = undefined
      this.#begunInStep = 0
      while (this.#startNext());
    }, stepMs)
  }

  #give(keys: readonly string[]): void {
    this.#count--
    for (const key of keys) {
      const left = this.#running.get(key)! - 1
      if (left > 0) this.#running.set(key, left)
      else this.#running.delete(key)
    }
  }

  /** The first that fits takes a free place. Answers whether there was one. */
  #startNext(): boolean {
    if (this.#begunInStep >= this.#perStep || this.#count >= this.limits.concurrency) return false
    const index = this.#waiting.findIndex(({ keys }) => this.#hasRoom(keys))
    if (index < 0) return false
    const [next] = this.#waiting.splice(index, 1)
    this.#take(next!.keys)
    next!.start()
    return true
  }
}
