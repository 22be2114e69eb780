/**
 * Bounds the memory of request bodies that are being read or processed: in total, and for each holder (an account or an
 * address). Bodies beyond these limits wait unread. One body always proceeds, and slow ones are dropped once others
 * have waited for a while, so that no body waits forever.
 */
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'
import { BodyUsage } from './body-usage.js'
import { BodyReservation, type BodyMemory } from './body-reservation.js'

/** Each holder may use the total memory divided by this number. */
const accountShare = 4
/** `Retry-After` of refused requests, in seconds. */
const retryAfter = 5
/** Time, in seconds, that a body waits before slow ones that block it are dropped. */
const maxWaitSeconds = 5
/** Seconds between two checks for waiting bodies. */
const checkSeconds = 1
/** Minimum rate at which a body has to arrive while others wait, in bytes per second. */
const minBytesPerSecond = 64 * 1024

/** The memory for the bodies of one kind of sender. */
class UploadBuffer implements BodyMemory {
  readonly #total = new BodyUsage()
  /** Bodies that use memory and have not arrived completely. */
  readonly #unfinished = new Set<BodyReservation>()
  #isWatching = false

  /** `maxBytes`: maximum size of all bodies together. `maxSeconds`: time that a body may take while others wait. */
  constructor(
    private readonly maxBytes: number,
    private readonly maxSeconds: number,
    private readonly clock: Clock
  ) {}

  /** Bytes that are in use. */
  get bytes(): number {
    return this.#total.bytes
  }

  /**
   * Admits a body. `part` names a part of the holder, such as a token: the holder's memory is shared equally among its
   * parts.
   */
  admit(holder: string, part = ''): BodyReservation {
    return new BodyReservation(this, { holder, part }, this.clock)
  }

  /** Counts bytes that a body is about to hold. Returns whether the body may be read now; otherwise it waits. */
  take(ticket: BodyReservation, bytes: number): boolean {
    for (const usage of this.#getUsages(ticket)) {
      usage.add(bytes)
      usage.reading.add(ticket)
    }
    this.#unfinished.add(ticket)
    const mayProceed = this.#mayProceed(ticket)
    if (!mayProceed) this.#scheduleCheck()
    return mayProceed
  }

  /** Records that a body has been read completely, and is processed now. */
  read(ticket: BodyReservation, bytes: number): void {
    if (!this.#unfinished.delete(ticket)) return
    for (const usage of this.#getUsages(ticket)) {
      usage.add(0, bytes)
      usage.remove(ticket)
    }
    this.#wake()
  }

  /** Releases the bytes of a body, also if it has not arrived completely, and lets others proceed. */
  release(ticket: BodyReservation, bytes: number): void {
    this.read(ticket, bytes)
    const { holder, part } = ticket.owner
    for (const usage of this.#getUsages(ticket)) usage.add(-bytes, -bytes)
    const own = this.#total.ensurePart(holder)
    // A body may wait without holding bytes.
    if (own.ensurePart(part).isEmpty) own.parts.delete(part)
    if (own.isEmpty) this.#total.parts.delete(holder)
    this.#wake()
  }

  #mayProceed(ticket: BodyReservation): boolean {
    const [all, own] = this.#getUsages(ticket)
    return own.mayProceed(this.maxBytes / accountShare, ticket) && all.mayProceed(this.maxBytes, ticket)
  }

  /** Lets waiting bodies be read on, as far as memory allows. */
  #wake(): void {
    for (const ticket of this.#total.reading) if (ticket.isWaiting && this.#mayProceed(ticket)) ticket.wake()
  }

  /** Returns what is counted for all bodies, for the holder of one, and for its part. */
  #getUsages({ owner }: BodyReservation): readonly [all: BodyUsage, own: BodyUsage, part: BodyUsage] {
    const own = this.#total.ensurePart(owner.holder)
    return [this.#total, own, own.ensurePart(owner.part)]
  }

  #scheduleCheck(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.clock.after(checkSeconds, () => this.#dropSlow())
  }

  /** Drops slow bodies that block others. */
  #dropSlow(): void {
    this.#isWatching = false
    let isWaiting = false
    const delayed = new Set<BodyUsage>()
    for (const ticket of this.#total.reading) {
      isWaiting ||= ticket.isWaiting
      if (ticket.isWaiting && ticket.waitedSeconds >= maxWaitSeconds)
        delayed.add(this.#total.ensurePart(ticket.owner.holder))
    }
    for (const ticket of this.#unfinished) {
      const isSlow = ticket.isSlow(minBytesPerSecond, maxWaitSeconds, this.maxSeconds)
      const isBlocking =
        this.bytes >= this.maxBytes || delayed.has(this.#total.ensurePart(ticket.owner.holder))
      if (isSlow && delayed.size > 0 && isBlocking) ticket.drop()
    }
    if (isWaiting) this.#scheduleCheck()
  }
}

/**
 * Separate memory for bodies of calls with a valid token and of anonymous calls, so that anonymous calls cannot exhaust
 * the memory of calls with a token.
 */
export interface UploadBuffers {
  readonly known: UploadBuffer
  readonly anonymous: UploadBuffer
  /** Forms, whose parts are written to files. */
  readonly forms: FormQuota
}

/** Creates the buffers for the bodies of all requests, limited by settings. */
export function createUploadBuffers({ limits }: Config, clock: Clock): UploadBuffers {
  const { bodiesBytes, bodyTimeout } = limits
  return {
    known: new UploadBuffer(bodiesBytes, bodyTimeout, clock),
    anonymous: new UploadBuffer(bodiesBytes / accountShare, bodyTimeout, clock),
    forms: new FormQuota()
  }
}

/** Creates the error for a body for which no memory became free in time. */
export function createBusyError(): ApiError {
  return new ApiError('api-unavailable', 'Too many large requests at the moment. Try again later', {
    retryAfter
  })
}

/** Tracks the bytes of forms that are being received, or whose calls are running, by account. */
class FormQuota {
  readonly #bytesByAccount = new Map<string, number>()

  /** Starts counting a form of an account. */
  track(account: string): FormUsage {
    return new FormUsage(this.#bytesByAccount, account)
  }
}

/** The bytes of one form. */
export class FormUsage {
  #bytes = 0

  constructor(
    private readonly bytesByAccount: Map<string, number>,
    private readonly account: string
  ) {}

  /** Adds bytes; returns the total of the account. */
  add(bytes: number): number {
    this.#bytes += bytes
    const all = (this.bytesByAccount.get(this.account) ?? 0) + bytes
    this.bytesByAccount.set(this.account, all)
    return all
  }

  /** Releases all of its bytes. */
  release(): void {
    if (this.add(-this.#bytes) === 0) this.bytesByAccount.delete(this.account)
  }
}
