/** One request body being received: the bytes it holds, whether it has to wait, and how it is resumed or dropped. */
import type { Party } from '../../storage/scheduler.js'
import type { Clock } from '../time.js'
import { BodyPace } from './body-pace.js'

/** What a body takes its bytes from. */
export interface Room {
  /** Adds bytes to a body; returns whether more may be read. */
  take(ticket: Ticket, bytes: number): boolean
  /** Notes that a body has arrived completely; its bytes are held until it leaves. */
  read(ticket: Ticket, bytes: number): void
  /** Releases the bytes of a body. */
  leave(ticket: Ticket, bytes: number): void
}

export class Ticket {
  #bytes = 0
  #wake: (() => void) | undefined
  #drop: (() => void) | undefined
  #hasWaited = false
  #hasLeft = false
  readonly #pace: BodyPace

  constructor(
    private readonly room: Room,
    readonly of: { readonly holder: string; readonly part: string },
    clock: Clock
  ) {
    this.#pace = new BodyPace(clock)
  }

  /** Whose turns parsing the body takes. */
  get party(): Party {
    return { account: this.of.holder, access: this.of.part }
  }

  get isWaiting(): boolean {
    return this.#wake !== undefined
  }

  /** Whether it has ever had to wait. */
  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /** Total seconds for which it has been made to wait. */
  get waited(): number {
    return this.#pace.waited
  }

  /** Sets what is called if the body is dropped because its room is needed. */
  onDrop(drop: () => void): void {
    this.#drop = drop
  }

  /** Notes that bytes have arrived, whether or not they are held. */
  came(bytes: number): void {
    this.#pace.came(bytes)
  }

  /** Adds bytes. Returns whether more may be read at once; if not, `wake` is called when they may. */
  take(bytes: number, wake: () => void): boolean {
    this.#bytes += bytes
    const mayGoOn = this.room.take(this, bytes)
    this.#wake = mayGoOn ? undefined : wake
    this.#hasWaited ||= !mayGoOn
    if (!mayGoOn) this.#pace.stop()
    return mayGoOn
  }

  wake(): void {
    const wake = this.#wake
    this.#goOn()
    wake?.()
  }

  /**
   * Whether it arrives too slowly, or has been arriving for too long. `grace`: least seconds between two measurements.
   */
  isSlow(leastPace: number, grace: number, longest: number): boolean {
    if (!this.isWaiting) return this.#pace.isSlow(leastPace, grace, longest)
    this.#pace.mark()
    return false
  }

  /** Drops the body to free its room. */
  drop(): void {
    this.#drop?.()
  }

  /** Notes that the body has arrived completely. */
  read(): void {
    this.#goOn()
    if (!this.#hasLeft) this.room.read(this, this.#bytes)
  }

  /** Releases its bytes; a second call does nothing. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#goOn()
    this.room.leave(this, this.#bytes)
  }

  #goOn(): void {
    this.#wake = undefined
    this.#pace.goOn()
  }
}
