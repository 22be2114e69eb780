/** Measures how fast a request body arrives, not counting the time for which the service makes it wait. */
import type { Clock } from '../time.js'

export class BodyRate {
  readonly #since: number
  #bytes = 0
  /** Bytes received when the pace was last measured. */
  #measurement: { readonly at: number; readonly came: number } | undefined
  #pausedAt: number | undefined
  #pausedBefore = 0

  constructor(private readonly clock: Clock) {
    this.#since = clock.now()
  }

  /** Total seconds for which it has been made to wait. */
  get pausedSeconds(): number {
    const now = this.#pausedAt === undefined ? 0 : this.clock.now() - this.#pausedAt
    return this.#pausedBefore + now
  }

  came(bytes: number): void {
    this.#bytes += bytes
  }

  /** Notes that the service makes it wait from now on. */
  pause(): void {
    this.#pausedAt ??= this.clock.now()
  }

  resume(): void {
    this.#pausedBefore = this.pausedSeconds
    this.#pausedAt = undefined
  }

  /** Starts a new measurement. */
  startMeasurement(): void {
    this.#measurement = { at: this.clock.now(), came: this.#bytes }
  }

  /**
   * Whether a body that is not made to wait arrives with fewer bytes a second than `leastPace`, measured since the last
   * measurement, or has been arriving for `longest` seconds. `grace`: least seconds between two measurements.
   */
  isSlow(minBytesPerSecond: number, grace: number, maxSeconds: number): boolean {
    const now = this.clock.now()
    if (now - this.#since - this.pausedSeconds >= maxSeconds) return true
    const before = this.#measurement
    if (before && now - before.at < grace) return false
    this.startMeasurement()
    return before !== undefined && this.#bytes - before.came < minBytesPerSecond * (now - before.at)
  }
}
