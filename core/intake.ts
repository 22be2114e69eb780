/**
 * The bodies that are read or worked on at a time: so many bytes in all, and so many of each holder, an account or an address.
 * What comes beyond that waits unread. Whoever has been reading for longest always gets on, so nobody waits for ever.
 */
import type { Config } from './config.js'
import { ApiError } from './errors.js'

/** Holders may each have this part of all. */
const share = 4
/** Seconds after which somebody who was turned away may try again. */
const retryAfter = 5

interface Holder {
  bytes: number
  /** Bodies that are being read, in the order in which they began. */
  readonly reading: Set<Ticket>
}

/** Room for bodies of one kind of senders. */
export class Intake {
  readonly #holders = new Map<string, Holder>()
  /** Of all holders, in the order in which they began. */
  readonly #reading = new Set<Ticket>()
  #bytes = 0

  /** `most`: bytes in all. */
  constructor(private readonly most: number) {}

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** Begins to take in a body. */
  begin(holder: string): Ticket {
    const ticket = new Ticket(this, holder)
    this.#holderOf(holder).reading.add(ticket)
    this.#reading.add(ticket)
    return ticket
  }

  /** Counts bytes of a body; answers whether it may go on. */
  take(ticket: Ticket, bytes: number): boolean {
    const holder = this.#holderOf(ticket.holder)
    holder.bytes += bytes
    this.#bytes += bytes
    return this.mayGoOn(ticket)
  }

  mayGoOn(ticket: Ticket): boolean {
    const holder = this.#holderOf(ticket.holder)
    return (
      (this.#bytes < this.most || first(this.#reading) === ticket) &&
      (holder.bytes < this.most / share || first(holder.reading) === ticket)
    )
  }

  /** Notes that a body is there: it is held until it has been left. */
  read(ticket: Ticket): void {
    this.#holderOf(ticket.holder).reading.delete(ticket)
    this.#reading.delete(ticket)
    this.#wake()
  }

  /** Gives back what a body held. */
  leave(ticket: Ticket, bytes: number): void {
    const holder = this.#holderOf(ticket.holder)
    holder.bytes -= bytes
    this.#bytes -= bytes
    holder.reading.delete(ticket)
    this.#reading.delete(ticket)
    if (holder.bytes === 0 && holder.reading.size === 0) this.#holders.delete(ticket.holder)
    this.#wake()
  }

  #wake(): void {
    for (const ticket of this.#reading) if (ticket.isWaiting && this.mayGoOn(ticket)) ticket.wake()
  }

  #holderOf(name: string): Holder {
    let holder = this.#holders.get(name)
    if (!holder) this.#holders.set(name, (holder = { bytes: 0, reading: new Set() }))
    return holder
  }
}

/** One body. */
export class Ticket {
  #bytes = 0
  #wake: (() => void) | undefined
  #hasWaited = false
  #hasLeft = false

  constructor(
    private readonly intake: Intake,
    readonly holder: string
  ) {}

  get isWaiting(): boolean {
    return this.#wake !== undefined
  }

  /** Whether it has ever had to wait. */
  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /** Counts bytes; `wake` is called when more may come, unless that is so already: then the answer is true. */
  take(bytes: number, wake: () => void): boolean {
    this.#bytes += bytes
    const mayGoOn = this.intake.take(this, bytes)
    this.#wake = mayGoOn ? undefined : wake
    this.#hasWaited ||= !mayGoOn
    return mayGoOn
  }

  wake(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Notes that the body is there. */
  read(): void {
    this.#wake = undefined
    if (!this.#hasLeft) this.intake.read(this)
  }

  /** Gives back what it holds; a second time it does nothing. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#wake = undefined
    this.intake.leave(this, this.#bytes)
  }
}

/** Room for the bodies of those who have shown a token, and of strangers: these never take that of the others. */
export interface Intakes {
  readonly known: Intake
  readonly strangers: Intake
}

export function intakesOf({ limits }: Config): Intakes {
  const { bodiesBytes } = limits
  return { known: new Intake(bodiesBytes), strangers: new Intake(bodiesBytes / share) }
}

/** The error for a body that there was no room for in time. */
export function crowded(): ApiError {
  return new ApiError('api-unavailable', 'Too many large requests at the moment. Please try again later.', {
    retryAfter
  })
}

function first<T>(items: ReadonlySet<T>): T | undefined {
  for (const item of items) return item
  return undefined
}
