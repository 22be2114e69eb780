/** Lets a few pieces of work run at a time, and one of each key: who has much to do holds up nobody but himself. */
export class FairTurns {
  #running = 0
  readonly #busy = new Set<string>()
  /** What waits, by key; the key whose turn it is comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(private readonly atOnce: number) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>(start => {
      const waiting = this.#waiting.get(key)
      if (waiting) waiting.push(start)
      else this.#waiting.set(key, [start])
      this.#next()
    })
    try {
      return await work()
    } finally {
      this.#busy.delete(key)
      this.#running--
      this.#next()
    }
  }

  #next(): void {
    if (this.#running >= this.atOnce) return
    for (const [key, waiting] of this.#waiting) {
      if (this.#busy.has(key)) continue
      const start = waiting.shift()!
      // Behind the others.
      this.#waiting.delete(key)
      if (waiting.length > 0) this.#waiting.set(key, waiting)
      this.#busy.add(key)
      this.#running++
      return start()
    }
  }
}
