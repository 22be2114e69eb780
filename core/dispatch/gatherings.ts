/**
 * Assembles long results that are wanted in one piece: a few at a time, and one of each account. The first page of a result
 * exists before its turn has come, so the pages that wait are bounded. (docs/spec/limits.md#answers)
 */
import { ApiError } from '../errors.js'
import { FairScheduler } from '../security/fair-scheduler.js'
import type { Party } from '../../storage/scheduler.js'

/** Results assembled at a time. */
const atOnce = 4
/**
 * Calls on an account wait while its first pages take a quarter of the total. Calls that had begun by then may bring it to
 * a half.
 */
const ownShare = 4
const ownLimit = 2
/** `Retry-After` of refused calls, in seconds. */
const retryAfter = 5

interface Held {
  length: number
  /** Calls that are not made before there is room for their results. */
  readonly waiting: (() => void)[]
}

export class Gatherings {
  readonly #turns = new FairScheduler(atOnce)
  readonly #byAccount = new Map<string, Held>()
  #all = 0

  /** `max`: characters of all first pages that wait. */
  constructor(private readonly max: number) {}

  /** Returns a promise to wait for before a call on this account is made; `undefined` if there is room for its result. */
  room(account: string): Promise<void> | undefined {
    const held = this.#byAccount.get(account)
    if (!held || held.length < this.max / ownShare) return undefined
    return new Promise(resolve => held.waiting.push(resolve))
  }

  /** Whether a first page of this length may wait: always if no other does. */
  hasRoom(account: string, length: number): boolean {
    const own = this.#byAccount.get(account)?.length ?? 0
    return this.#all === 0 || (own + length <= this.max / ownLimit && this.#all + length <= this.max)
  }

  /** Runs `gather` when it is this party's turn. `length`: characters of the first page. */
  async run(party: Party, length: number, gather: () => Promise<void>): Promise<void> {
    this.#add(party.account, length)
    await this.#turns.run(party, () => {
      this.#add(party.account, -length)
      return gather()
    })
  }

  #add(account: string, length: number): void {
    this.#all += length
    const held = this.#byAccount.get(account) ?? { length: 0, waiting: [] }
    this.#byAccount.set(account, held)
    held.length += length
    if (held.length >= this.max / ownShare) return
    // Each of them asks again, and those without room wait again in this order.
    for (const resolve of held.waiting.splice(0)) resolve()
    if (held.length === 0) this.#byAccount.delete(account)
  }
}

/** The error for a read whose result cannot wait. */
export function tooManyWaiting(): ApiError {
  return new ApiError('api-unavailable', 'Too many large results are pending. Try again later', {
    retryAfter
  })
}
