/** Measures how fast a request body arrives, not counting the time for which the service pauses it. */
import type { Clock } from '../time.js'

/** The rate of one request body. */
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

  /** Total seconds for which the measurement has been paused. */
  get pausedSeconds(): number {
    const now = this.#pausedAt === undefined ? 0 : this.clock.now() - this.#pausedAt
    return this.#pausedBefore + now
  }

  /** Records that bytes have arrived. */
  addBytes(bytes: number): void {
    this.#bytes += bytes
  }

  /** Pauses the measurement while the service does not read. */
  pause(): void {
    this.#pausedAt ??= this.clock.now()
  }

  /** Resumes the measurement after {@link pause}. */
  resume(): void {
    this.#pausedBefore = this.pausedSeconds
    this.#pausedAt = undefined
  }

  /** Starts a new measurement. */
  startMeasurement(): void {
    this.#measurement = { at: this.clock.now(), came: this.#bytes }
  }

  /**
   * Returns whether a body that is not paused arrives with fewer than `minBytesPerSecond` since the last
   * measurement, or has been arriving for `maxSeconds`, not counting pauses. Then starts a new measurement.
   * `grace`: minimum seconds between two measurements; before that it is not slow.
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
