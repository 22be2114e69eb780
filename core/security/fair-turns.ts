/** Runs a few tasks at a time, and one of each key, taking keys in turn: a key with many tasks delays only itself. */
export class FairTurns {
  #running = 0
  #waitingInAll = 0
  readonly #busy = new Set<string>()
  /** Waiting tasks by key; the key whose turn it is comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(private readonly atOnce: number) {}

  /** Pieces of work that wait for their turn. */
  get waiting(): number {
    return this.#waitingInAll
  }

  /** Those of one key. */
  waitingOf(key: string): number {
    return this.#waiting.get(key)?.length ?? 0
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>(start => {
      const waiting = this.#waiting.get(key)
      if (waiting) waiting.push(start)
      else this.#waiting.set(key, [start])
      this.#waitingInAll++
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
      this.#waitingInAll--
      // Behind the others.
      this.#waiting.delete(key)
      if (waiting.length > 0) this.#waiting.set(key, waiting)
      this.#busy.add(key)
      this.#running++
      return start()
    }
  }
}
