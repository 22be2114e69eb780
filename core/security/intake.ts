/**
 * The bodies that are read or worked on at a time: so many bytes in all, and so many of each holder, an account or an address.
 * What comes beyond that waits unread. One always gets on, and bodies that are not brought are turned away once others have
 * waited for a while, so nobody waits for ever.
 */
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'

/** Holders may each have this part of all. */
const share = 4
/** Seconds after which somebody who was turned away may try again. */
const retryAfter = 5
/** Seconds that somebody waits before those are turned away who hold the room and do not bring what they have begun. */
const patience = 5
/** Seconds between two looks at who waits. */
const lookSeconds = 1
/** Bytes a second that a body has to come with while others wait for its room. */
const pace = 64 * 1024

/** Bodies of one account or address, or of one token of an account. */
class Pile {
  bytes = 0
  /** Of these, bytes of bodies that are worked on. */
  working = 0
  readonly parts = new Map<string, Pile>()
  /** Bodies that are being read, in the order in which they began. */
  readonly reading = new Set<Ticket>()
  /** The one that gets on though there is no room: no other does before it has come to its end, or the bound would be none. */
  favoured: Ticket | undefined

  part(name: string): Pile {
    let part = this.parts.get(name)
    if (!part) this.parts.set(name, (part = new Pile()))
    return part
  }

  add(bytes: number, working = 0): void {
    this.bytes += bytes
    this.working += working
  }

  /** Whether a body gets on where there are to be `most` bytes: what is worked on ends by itself, the rest may not. */
  hasRoom(most: number, ticket: Ticket): boolean {
    return this.bytes < most || (this.working < most && this.#favour() === ticket)
  }

  end(ticket: Ticket): void {
    this.reading.delete(ticket)
    if (this.favoured === ticket) this.favoured = undefined
  }

  /** Whose part holds least comes first: many bodies of one do not stand before that of another. */
  #favour(): Ticket | undefined {
    let least = Infinity
    if (this.favoured) return this.favoured
    for (const [, part] of this.parts)
      if (part.reading.size > 0 && part.bytes < least) {
        least = part.bytes
        this.favoured = part.#favour()
      }
    return (this.favoured ??= first(this.reading))
  }
}

/** Room for bodies of one kind of senders. */
export class Intake {
  readonly #all = new Pile()
  /** Those that hold something, and have not come to their end. */
  readonly #unfinished = new Set<Ticket>()
  #isWatching = false

  /** `most`: bytes in all. `longest`: seconds that a body may take while others wait. */
  constructor(
    private readonly most: number,
    private readonly longest: number,
    private readonly clock: Clock
  ) {}

  /** Bytes that are held. */
  get bytes(): number {
    return this.#all.bytes
  }

  /** Begins to take in a body. `part` tells those of a holder apart, who are to get the same share of what is the holder's. */
  begin(holder: string, part = ''): Ticket {
    return new Ticket(this, { holder, part }, this.clock)
  }

  /** Counts bytes of a body; answers whether it may go on. */
  take(ticket: Ticket, bytes: number): boolean {
    for (const pile of this.#pilesOf(ticket)) {
      pile.add(bytes)
      pile.reading.add(ticket)
    }
    this.#unfinished.add(ticket)
    const mayGoOn = this.#mayGoOn(ticket)
    if (!mayGoOn) this.#watch()
    return mayGoOn
  }

  /** Notes that a body is there: it is held until it has been left. */
  read(ticket: Ticket, bytes: number): void {
    if (!this.#unfinished.delete(ticket)) return
    for (const pile of this.#pilesOf(ticket)) {
      pile.add(0, bytes)
      pile.end(ticket)
    }
    this.#wake()
  }

  /** Gives back what a body held. */
  leave(ticket: Ticket, bytes: number): void {
    if (bytes === 0) return
    this.read(ticket, bytes)
    const { holder, part } = ticket.of
    for (const pile of this.#pilesOf(ticket)) pile.add(-bytes, -bytes)
    const own = this.#all.part(holder)
    if (own.part(part).bytes === 0) own.parts.delete(part)
    if (own.bytes === 0) this.#all.parts.delete(holder)
    this.#wake()
  }

  #mayGoOn(ticket: Ticket): boolean {
    const [all, own] = this.#pilesOf(ticket)
    return own.hasRoom(this.most / share, ticket) && all.hasRoom(this.most, ticket)
  }

  #wake(): void {
    for (const ticket of this.#all.reading) if (ticket.isWaiting && this.#mayGoOn(ticket)) ticket.wake()
  }

  #pilesOf({ of }: Ticket): readonly [all: Pile, own: Pile, part: Pile] {
    const own = this.#all.part(of.holder)
    return [this.#all, own, own.part(of.part)]
  }

  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.clock.after(lookSeconds, () => this.#look())
  }

  /** Turns those away who keep others waiting by not bringing what they have begun. */
  #look(): void {
    this.#isWatching = false
    let isWaiting = false
    const impatient = new Set<Pile>()
    for (const ticket of this.#all.reading) {
      isWaiting ||= ticket.isWaiting
      if (ticket.isWaiting && ticket.waited >= patience) impatient.add(this.#all.part(ticket.of.holder))
    }
    for (const ticket of this.#unfinished) {
      const isSlow = ticket.isSlow(pace, patience, this.longest)
      const isInTheWay = this.bytes >= this.most || impatient.has(this.#all.part(ticket.of.holder))
      if (isSlow && impatient.size > 0 && isInTheWay) ticket.drop()
    }
    if (isWaiting) this.#watch()
  }
}

/** One body. */
export class Ticket {
  #bytes = 0
  #wake: (() => void) | undefined
  #drop: (() => void) | undefined
  #hasWaited = false
  #hasLeft = false
  /** What has come, and since when: the time in which it had to wait does not count. */
  #came = 0
  #since: number
  #mark: { readonly at: number; readonly came: number } | undefined
  #waitsSince: number | undefined
  #waitedBefore = 0

  constructor(
    private readonly intake: Intake,
    readonly of: { readonly holder: string; readonly part: string },
    private readonly clock: Clock
  ) {
    this.#since = clock.now()
  }

  get isWaiting(): boolean {
    return this.#wake !== undefined
  }

  /** Whether it has ever had to wait. */
  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /** Seconds for which it has waited in all. */
  get waited(): number {
    const since = this.#waitsSince === undefined ? 0 : this.clock.now() - this.#waitsSince
    return this.#waitedBefore + since
  }

  /** Notes what is to be done if its room is needed: it is turned away then. */
  onDrop(drop: () => void): void {
    this.#drop = drop
  }

  /** Notes that bytes have come, of which none may be held. */
  came(bytes: number): void {
    this.#came += bytes
  }

  /** Counts bytes; `wake` is called when more may come, unless that is so already: then the answer is true. */
  take(bytes: number, wake: () => void): boolean {
    this.#bytes += bytes
    const mayGoOn = this.intake.take(this, bytes)
    this.#wake = mayGoOn ? undefined : wake
    this.#hasWaited ||= !mayGoOn
    if (!mayGoOn) this.#waitsSince ??= this.clock.now()
    return mayGoOn
  }

  wake(): void {
    const wake = this.#wake
    this.#goOn()
    wake?.()
  }

  /**
   * Whether it has come too slowly since it was first asked, or the last answer was given, or has been coming for too long:
   * others cannot wait for it. `grace`: seconds between two answers.
   */
  isSlow(leastPace: number, grace: number, longest: number): boolean {
    const now = this.clock.now()
    if (!this.isWaiting && now - this.#since - this.waited >= longest) return true
    const before = this.#mark
    if (before && !this.isWaiting && now - before.at < grace) return false
    this.#mark = { at: now, came: this.#came }
    return before !== undefined && !this.isWaiting && this.#came - before.came < leastPace * (now - before.at)
  }

  /** Has it turned away. */
  drop(): void {
    this.#drop?.()
  }

  /** Notes that the body is there. */
  read(): void {
    this.#goOn()
    if (!this.#hasLeft) this.intake.read(this, this.#bytes)
  }

  /** Gives back what it holds; a second time it does nothing. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#goOn()
    this.intake.leave(this, this.#bytes)
  }

  #goOn(): void {
    this.#wake = undefined
    this.#waitedBefore = this.waited
    this.#waitsSince = undefined
  }
}

/** Room for the bodies of those who have shown a token, and of strangers: these never take that of the others. */
export interface Intakes {
  readonly known: Intake
  readonly strangers: Intake
}

export function intakesOf({ limits }: Config, clock: Clock): Intakes {
  const { bodiesBytes, bodyTimeout } = limits
  return {
    known: new Intake(bodiesBytes, bodyTimeout, clock),
    strangers: new Intake(bodiesBytes / share, bodyTimeout, clock)
  }
}

/** The error for a body that there was no room for in time. */
export function crowded(): ApiError {
  return new ApiError('api-unavailable', 'Too many large requests at the moment. Please try again later', {
    retryAfter
  })
}

function first<T>(items: ReadonlySet<T>): T | undefined {
  for (const item of items) return item
  return undefined
}
