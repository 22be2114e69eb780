/** The clock. All times of the service are seconds since the Unix epoch; milliseconds appear only in names ending in `Ms`. */

/** The source of the current time; tests use one that they can move. */
export interface Clock {
  /** Returns seconds since the Unix epoch. */
  now(): number
  /** Calls `run` once after `seconds` seconds, unless the returned function is called before. */
  after(seconds: number, run: () => void): () => void
  /** Calls `run` whenever the clock was set back by more than a minute or two. Returns the function that ends that. */
  onSetBack(run: () => void): () => void
}

/** How often the clock is checked, in milliseconds: it is set, and goes on while the machine sleeps, which Node's timers do not notice. */
const lookMs = 60_000
/** Seconds by which clocks are corrected now and then. */
const tolerance = 60

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
  },
  onSetBack(run) {
    let last = Date.now()
    const timer = setInterval(() => {
      const isSetBack = Date.now() < last - tolerance * 1000
      last = Date.now()
      if (isSetBack) run()
    }, lookMs).unref()
    return () => clearInterval(timer)
  }
}

interface ScheduledRun {
  at: number
  readonly run: () => void
}

/**
 * Returns when a wait ends, in seconds: now if that is further ahead than `longest` seconds, the longest such wait. Then it began while the
 * clock was ahead, and would last until the clock is there again.
 */
export function limitWait(end: number, now: number, longest: number): number {
  return end > now + longest + tolerance ? now : end
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

  /**
   * Moves the clock forward by `seconds` seconds, and runs what falls due, in order, before listeners. If it is set back by a negative
   * number, timers run after the same wait, as those of {@link systemClock}.
   */
  advance(seconds: number): void {
    if (seconds < 0) for (const scheduled of this.#scheduled) scheduled.at += seconds
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

  onSetBack(run: () => void): () => void {
    return this.onAdvance(seconds => {
      if (seconds < -tolerance) run()
    })
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
