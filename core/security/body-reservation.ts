/** One request body being received: the bytes it uses, whether it has to wait, and how it is resumed or dropped. */
import type { Party } from '../../storage/scheduler.js'
import type { Clock } from '../time.js'
import { BodyRate } from './body-rate.js'

/** The memory from which a body takes its bytes. */
export interface BodyMemory {
  /** Reserves bytes for a body; returns whether more may be read. */
  take(ticket: BodyReservation, bytes: number): boolean
  /** Records that a body has arrived completely; its bytes stay reserved until it is released. */
  read(ticket: BodyReservation, bytes: number): void
  /** Releases the bytes of a body. */
  release(ticket: BodyReservation, bytes: number): void
}

/** The bytes of one request body while it is received. */
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

  /** The party whose turns parsing the body takes. */
  get party(): Party {
    return { account: this.owner.holder, access: this.owner.part }
  }

  /** Whether the body waits for memory now. */
  get isWaiting(): boolean {
    return this.#wake !== undefined
  }

  /** Whether the body has ever had to wait. */
  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /** Total seconds for which the body has been made to wait. */
  get waitedSeconds(): number {
    return this.#rate.pausedSeconds
  }

  /** Sets the function called if the body is dropped because its memory is needed. */
  onDrop(drop: () => void): void {
    this.#drop = drop
  }

  /** Records that bytes have arrived, whether or not they use memory. */
  addArrived(bytes: number): void {
    this.#rate.addBytes(bytes)
  }

  /** Reserves bytes. Returns whether more may be read at once; if not, `wake` is called when they may. */
  take(bytes: number, wake: () => void): boolean {
    this.#bytes += bytes
    const mayProceed = this.memory.take(this, bytes)
    this.#wake = mayProceed ? undefined : wake
    this.#hasWaited ||= !mayProceed
    if (!mayProceed) this.#rate.pause()
    return mayProceed
  }

  /** Lets a waiting body be read on. */
  wake(): void {
    const wake = this.#wake
    this.#resume()
    wake?.()
  }

  /**
   * Returns whether the body arrives too slowly, or has been arriving for too long. `grace`: minimum seconds
   * between two measurements. A waiting body is never slow; its measurement starts again.
   */
  isSlow(minBytesPerSecond: number, grace: number, maxSeconds: number): boolean {
    if (!this.isWaiting) return this.#rate.isSlow(minBytesPerSecond, grace, maxSeconds)
    this.#rate.startMeasurement()
    return false
  }

  /** Drops the body to free its memory. */
  drop(): void {
    this.#drop?.()
  }

  /** Records that the body has arrived completely. */
  read(): void {
    this.#resume()
    if (!this.#isReleased) this.memory.read(this, this.#bytes)
  }

  /** Releases its bytes. A body that waits is not woken any more. Idempotent. */
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
