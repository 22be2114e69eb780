/** The clock. All times of the service are seconds since the Unix epoch; milliseconds appear only in names ending in `Ms`. */

/** The source of the current time; tests use one that they can move. */
export interface Clock {
  /** Returns seconds since the Unix epoch. */
  now(): number
  /** Calls `run` once after `seconds` seconds, unless the returned function is called before. */
  after(seconds: number, run: () => void): () => void
}

/** How often timers look at the clock, in milliseconds: it is set, and goes on while the machine sleeps, which Node's timers do not notice. */
const lookMs = 60_000

/** The system clock. Its timers do not keep the process alive. If the clock is set forward, they run up to a minute late; if back, early. */
export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  after(seconds, run) {
    const ms = Math.max(seconds, 0) * 1000
    const [at, end] = [Date.now() + ms, performance.now() + ms]
    const wait = (left: number): NodeJS.Timeout =>
      setTimeout(
        () => {
          const rest = Math.min(at - Date.now(), end - performance.now())
          if (rest > 0) timer = wait(rest)
          else run()
        },
        Math.min(left, lookMs)
      ).unref()
    let timer = wait(ms)
    return () => clearTimeout(timer)
  }
}

interface ScheduledRun {
  readonly at: number
  readonly run: () => void
}

/** A clock that stands still until moved. */
export class ManualClock implements Clock {
  readonly #scheduled = new Set<ScheduledRun>()
  readonly #listeners = new Set<(seconds: number) => void>()

  constructor(private seconds = 1_700_000_000) {}

  now(): number {
    return this.seconds
  }

  after(seconds: number, run: () => void): () => void {
    const scheduled = { at: this.seconds + Math.max(seconds, 0), run }
    this.#scheduled.add(scheduled)
    return () => this.#scheduled.delete(scheduled)
  }

  /** Moves the clock forward by `seconds` seconds, and runs what falls due, in order, before listeners. */
  advance(seconds: number): void {
    const until = this.seconds + seconds
    for (;;) {
      const due = [...this.#scheduled].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#scheduled.delete(due)
      this.seconds = Math.max(this.seconds, due.at)
      due.run()
    }
    this.seconds = until
    for (const listener of this.#listeners) listener(seconds)
  }

  /** Calls `listener` with the seconds whenever the clock has been moved. Returns the function that removes it. */
  onAdvance(listener: (seconds: number) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/**
 * Rounds a time in seconds to microseconds, which removes the rounding errors of sums: a double of seconds since the epoch is precise
 * to a quarter of a microsecond. Zero has no sign. Larger numbers than dates need are whole, and returned as they are: their
 * microseconds could exceed the range of numbers.
 */
export function roundToMicroseconds(time: number): number {
  return Math.abs(time) > Number.MAX_SAFE_INTEGER ? time : Math.round(time * 1e6) / 1e6 + 0
}
