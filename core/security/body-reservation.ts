/** One request body being received: the bytes it holds, whether it has to wait, and how it is resumed or dropped. */
import type { Party } from '../../storage/scheduler.js'
import type { Clock } from '../time.js'
import { BodyRate } from './body-rate.js'

/** What a body takes its bytes from. */
export interface BodyMemory {
  /** Adds bytes to a body; returns whether more may be read. */
  take(ticket: BodyReservation, bytes: number): boolean
  /** Notes that a body has arrived completely; its bytes are held until it leaves. */
  read(ticket: BodyReservation, bytes: number): void
  /** Releases the bytes of a body. */
  release(ticket: BodyReservation, bytes: number): void
}

export class BodyReservation {
  #bytes = 0
  #wake: (() => void) | undefined
  #drop: (() => void) | undefined
  #hasWaited = false
  #isReleased = false
  readonly #rate: BodyRate

  constructor(
    private readonly memory: BodyMemory,
    readonly owner: { readonly holder: string; readonly part: string },
    clock: Clock
  ) {
    this.#rate = new BodyRate(clock)
  }

  /** Whose turns parsing the body takes. */
  get party(): Party {
    return { account: this.owner.holder, access: this.owner.part }
  }

  get isWaiting(): boolean {
    return this.#wake !== undefined
  }

  /** Whether it has ever had to wait. */
  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /** Total seconds for which it has been made to wait. */
  get waitedSeconds(): number {
    return this.#rate.pausedSeconds
  }

  /** Sets what is called if the body is dropped because its room is needed. */
  onDrop(drop: () => void): void {
    this.#drop = drop
  }

  /** Notes that bytes have arrived, whether or not they are held. */
  addArrived(bytes: number): void {
    this.#rate.came(bytes)
  }

  /** Adds bytes. Returns whether more may be read at once; if not, `wake` is called when they may. */
  take(bytes: number, wake: () => void): boolean {
    this.#bytes += bytes
    const mayProceed = this.memory.take(this, bytes)
    this.#wake = mayProceed ? undefined : wake
    this.#hasWaited ||= !mayProceed
    if (!mayProceed) this.#rate.pause()
    return mayProceed
  }

  wake(): void {
    const wake = this.#wake
    this.#resume()
    wake?.()
  }

  /**
   * Whether it arrives too slowly, or has been arriving for too long. `grace`: least seconds between two measurements.
   */
  isSlow(minBytesPerSecond: number, grace: number, maxSeconds: number): boolean {
    if (!this.isWaiting) return this.#rate.isSlow(minBytesPerSecond, grace, maxSeconds)
    this.#rate.startMeasurement()
    return false
  }

  /** Drops the body to free its room. */
  drop(): void {
    this.#drop?.()
  }

  /** Notes that the body has arrived completely. */
  read(): void {
    this.#resume()
    if (!this.#isReleased) this.memory.read(this, this.#bytes)
  }

  /** Releases its bytes; a second call does nothing. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#resume()
    this.memory.release(this, this.#bytes)
  }

  #resume(): void {
    this.#wake = undefined
    this.#rate.resume()
  }
}
