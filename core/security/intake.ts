/**
 * Bounds the memory of request bodies that are being read or processed: in total, and for each holder (an account or an
 * address). Bodies beyond that wait unread. One body always proceeds, and slow ones are dropped once others have waited for
 * a while, so that nobody waits for ever.
 */
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'
import { Forms } from './forms.js'
import { Pile } from './pile.js'
import { Ticket, type Room } from './ticket.js'

/** Each holder may have the total divided by this. */
const share = 4
/** `Retry-After` of refused requests, in seconds. */
const retryAfter = 5
/** Seconds that a body waits before slow ones that occupy the room are dropped. */
const patienceSeconds = 5
/** Seconds between two checks for waiting bodies. */
const checkSeconds = 1
/** Bytes a second with which a body has to arrive while others wait for room. */
const pace = 64 * 1024

/** Room for the bodies of one kind of sender. */
export class Intake implements Room {
  readonly #all = new Pile()
  /** Bodies that hold bytes and have not arrived completely. */
  readonly #unfinished = new Set<Ticket>()
  #isWatching = false

  /** `maxBytes`: of all bodies together. `longest`: seconds that a body may take while others wait. */
  constructor(
    private readonly maxBytes: number,
    private readonly longest: number,
    private readonly clock: Clock
  ) {}

  /** Bytes that are held. */
  get bytes(): number {
    return this.#all.bytes
  }

  /** Admits a body. `part` names a part of the holder, such as a token: the holder's room is shared equally among its parts. */
  begin(holder: string, part = ''): Ticket {
    return new Ticket(this, { holder, part }, this.clock)
  }

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

  read(ticket: Ticket, bytes: number): void {
    if (!this.#unfinished.delete(ticket)) return
    for (const pile of this.#pilesOf(ticket)) {
      pile.add(0, bytes)
      pile.end(ticket)
    }
    this.#wake()
  }

  leave(ticket: Ticket, bytes: number): void {
    this.read(ticket, bytes)
    const { holder, part } = ticket.of
    for (const pile of this.#pilesOf(ticket)) pile.add(-bytes, -bytes)
    const own = this.#all.part(holder)
    // A body may wait without holding bytes.
    if (own.part(part).isEmpty) own.parts.delete(part)
    if (own.isEmpty) this.#all.parts.delete(holder)
    this.#wake()
  }

  #mayGoOn(ticket: Ticket): boolean {
    const [all, own] = this.#pilesOf(ticket)
    return own.hasRoom(this.maxBytes / share, ticket) && all.hasRoom(this.maxBytes, ticket)
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
    this.clock.after(checkSeconds, () => this.#dropSlow())
  }

  /** Drops slow bodies that keep others waiting. */
  #dropSlow(): void {
    this.#isWatching = false
    let isWaiting = false
    const impatient = new Set<Pile>()
    for (const ticket of this.#all.reading) {
      isWaiting ||= ticket.isWaiting
      if (ticket.isWaiting && ticket.waited >= patienceSeconds)
        impatient.add(this.#all.part(ticket.of.holder))
    }
    for (const ticket of this.#unfinished) {
      const isSlow = ticket.isSlow(pace, patienceSeconds, this.longest)
      const isInTheWay = this.bytes >= this.maxBytes || impatient.has(this.#all.part(ticket.of.holder))
      if (isSlow && impatient.size > 0 && isInTheWay) ticket.drop()
    }
    if (isWaiting) this.#watch()
  }
}

/** Separate room for bodies of calls with a valid token and of strangers, so that strangers cannot take it from the others. */
export interface Intakes {
  readonly known: Intake
  readonly strangers: Intake
  /** Forms, whose parts are written to files. */
  readonly forms: Forms
}

export function intakesOf({ limits }: Config, clock: Clock): Intakes {
  const { bodiesBytes, bodyTimeout } = limits
  return {
    known: new Intake(bodiesBytes, bodyTimeout, clock),
    strangers: new Intake(bodiesBytes / share, bodyTimeout, clock),
    forms: new Forms()
  }
}

/** The error for a body for which no room became free in time. */
export function crowded(): ApiError {
  return new ApiError('api-unavailable', 'Too many large requests at the moment. Please try again later', {
    retryAfter
  })
}
