/** Measures how fast a request body arrives, not counting the time for which the service makes it wait. */
import type { Clock } from '../time.js'

export class BodyPace {
  readonly #since: number
  #came = 0
  /** Bytes received when the pace was last measured. */
  #mark: { readonly at: number; readonly came: number } | undefined
  #stoppedAt: number | undefined
  #waitedBefore = 0

  constructor(private readonly clock: Clock) {
    this.#since = clock.now()
  }

  /** Total seconds for which it has been made to wait. */
  get waited(): number {
    const now = this.#stoppedAt === undefined ? 0 : this.clock.now() - this.#stoppedAt
    return this.#waitedBefore + now
  }

  came(bytes: number): void {
    this.#came += bytes
  }

  /** Notes that the service makes it wait from now on. */
  stop(): void {
    this.#stoppedAt ??= this.clock.now()
  }

  goOn(): void {
    this.#waitedBefore = this.waited
    this.#stoppedAt = undefined
  }

  /** Starts a new measurement. */
  mark(): void {
    this.#mark = { at: this.clock.now(), came: this.#came }
  }

  /**
   * Whether a body that is not made to wait arrives with fewer bytes a second than `leastPace`, measured since the last
   * measurement, or has been arriving for `longest` seconds. `grace`: least seconds between two measurements.
   */
  isSlow(leastPace: number, grace: number, longest: number): boolean {
    const now = this.clock.now()
    if (now - this.#since - this.waited >= longest) return true
    const before = this.#mark
    if (before && now - before.at < grace) return false
    this.mark()
    return before !== undefined && this.#came - before.came < leastPace * (now - before.at)
  }
}
