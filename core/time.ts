/** The clock. All times of the service are seconds since the Unix epoch; milliseconds appear only in names ending in `Ms`. */

/** Tells the time; tests bring one they can move. */
export interface Clock {
  /** Seconds since the Unix epoch. */
  now(): number
  /** Runs something once, so many seconds from now, unless the function it answers is called before. */
  after(seconds: number, run: () => void): () => void
}

/** Longest time that one of Node's timers takes, in milliseconds. */
const longestMs = 2 ** 31 - 1

/** The machine's own clock. Its timers keep no process alive; beyond 24 days they run early. */
export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  after(seconds, run) {
    const timer = setTimeout(run, Math.min(Math.max(seconds, 0) * 1000, longestMs))
    timer.unref()
    return () => clearTimeout(timer)
  }
}

interface Appointment {
  readonly at: number
  readonly run: () => void
}

/** A clock that stands still until moved. */
export class ManualClock implements Clock {
  readonly #appointments = new Set<Appointment>()
  readonly #followers = new Set<(seconds: number) => void>()

  constructor(private seconds = 1_700_000_000) {}

  now(): number {
    return this.seconds
  }

  after(seconds: number, run: () => void): () => void {
    const appointment = { at: this.seconds + Math.max(seconds, 0), run }
    this.#appointments.add(appointment)
    return () => this.#appointments.delete(appointment)
  }

  /** Moves the clock on by so many seconds; what falls due runs on the way, in order. */
  advance(seconds: number): void {
    const until = this.seconds + seconds
    for (;;) {
      const due = [...this.#appointments].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#appointments.delete(due)
      this.seconds = Math.max(this.seconds, due.at)
      due.run()
    }
    this.seconds = until
    for (const follower of this.#followers) follower(seconds)
  }

  /** Tells whenever the clock has been moved on, and by how much. Answers the function that ends it. */
  follow(follower: (seconds: number) => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }
}
