/**
 * Limits concurrency in total and per key (host, user), so that a slow target delays only work with the same key.
 * Also limits the rate, so that a long queue leaves CPU time for the rest of the service.
 */

interface ConcurrencyLimits {
  /** Maximum number running at a time. */
  readonly concurrency: number
  /** Returns the maximum number running at a time for one key. */
  limitFor(key: string): number
  /** Maximum number started per second. */
  readonly perSecond: number
}

interface Waiting {
  readonly keys: readonly string[]
  start(): void
}

/** The rate is enforced in intervals of this many milliseconds. */
const stepMs = 20

/** Runs work as soon as the limits allow, in order of arrival. */
export class ConcurrencyLimiter {
  readonly #running = new Map<string, number>()
  readonly #perStep: number
  #count = 0
  /** In order of arrival. */
  readonly #waiting: Waiting[] = []
  #isClosed = false
  #startedInStep = 0
  #step: NodeJS.Timeout | undefined

  constructor(private readonly limits: ConcurrencyLimits) {
    this.#perStep = Math.max(1, Math.floor((limits.perSecond * stepMs) / 1000))
  }

  /** Numbers of waiting and running pieces of work. */
  get load(): { readonly waiting: number; readonly running: number } {
    return { waiting: this.#waiting.length, running: this.#count }
  }

  /** Runs work as soon as the limits allow; returns `undefined` if the limiter is closed before that. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T | undefined> {
    if (!this.#isClosed && this.#isWithinLimits(keys)) this.#acquire(keys)
    else if (!this.#isClosed) await new Promise<void>(resolve => this.#waiting.push({ keys, start: resolve }))
    if (this.#isClosed) return undefined
    try {
      return await work()
    } finally {
      this.#release(keys)
      this.#startNext()
    }
  }

  /** Starts no more work; what is running continues. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#step)
    for (const waiting of this.#waiting.splice(0)) waiting.start()
  }

  #isWithinLimits(keys: readonly string[]): boolean {
    return (
      this.#startedInStep < this.#perStep &&
      this.#count < this.limits.concurrency &&
      keys.every(key => (this.#running.get(key) ?? 0) < this.limits.limitFor(key))
    )
  }

  #acquire(keys: readonly string[]): void {
    this.#count++
    this.#startedInStep++
    for (const key of keys) this.#running.set(key, (this.#running.get(key) ?? 0) + 1)
    if (this.#isClosed) return
    this.#step ??= setTimeout(() => {
      this.#step = undefined
      this.#startedInStep = 0
      while (this.#startNext());
    }, stepMs)
  }

  #release(keys: readonly string[]): void {
    this.#count--
    for (const key of keys) {
      const left = this.#running.get(key)! - 1
      if (left > 0) this.#running.set(key, left)
      else this.#running.delete(key)
    }
  }

  /** Starts the first waiting work that the limits allow; returns whether there was such work. */
  #startNext(): boolean {
    if (this.#startedInStep >= this.#perStep || this.#count >= this.limits.concurrency) return false
    const index = this.#waiting.findIndex(({ keys }) => this.#isWithinLimits(keys))
    if (index < 0) return false
    const [next] = this.#waiting.splice(index, 1)
    this.#acquire(next!.keys)
    next!.start()
    return true
  }
}
