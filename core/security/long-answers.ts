/**
 * Limits the long responses that are being sent: each holds memory until the client has read it. There is a limited number
 * of places for one access, for one account, and in total; further responses wait a little for a place.
 */
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'

/** Who receives a response. */
export interface Taker {
  /** Name of the user under whose root it was requested; empty outside of any. */
  readonly user: string
  /** Id of the access, or something else that distinguishes clients without one. */
  readonly access: string
}

/** Releases a place; a second call does nothing. */
export type Leave = () => void

interface Waiting {
  readonly taker: Taker
  admit(leave: Leave): void
}

/** An account has this many times the places of one access. */
const accessesOfAccount = 5
/** Seconds for which a response waits for a place. */
const patienceSeconds = 10
/** `Retry-After` of refused requests, in seconds. */
const retryAfter = 5

export class LongAnswers {
  readonly #counts = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #all = 0

  constructor(
    private readonly limits: Pick<Config['limits'], 'longAnswers' | 'longAnswersPerAccess'>,
    private readonly clock: Clock
  ) {}

  /** Numbers of responses that have a place and that wait for one. */
  get load(): { readonly open: number; readonly waiting: number } {
    return { open: this.#all, waiting: this.#waiting.size }
  }

  /** Takes a place at once; `undefined` if none is free. */
  take(taker: Taker): Leave | undefined {
    return this.#waiting.size === 0 || !this.#isAnyAhead(taker) ? this.#enter(taker) : undefined
  }

  /** Waits for a place. Errors: `too-many-requests` if the access has too many responses, `api-unavailable` if all together. */
  async wait(taker: Taker): Promise<Leave> {
    const { longAnswers, longAnswersPerAccess } = this.limits
    const isCrowded = this.#waiting.size >= longAnswers / 2 || this.#waitingOf(taker) >= longAnswersPerAccess
    if (isCrowded) throw this.#refusal(taker)
    return await new Promise((resolve, reject) => {
      const waiting: Waiting = {
        taker,
        admit: leave => {
          cancel()
          this.#waiting.delete(waiting)
          resolve(leave)
        }
      }
      const cancel = this.clock.after(patienceSeconds, () => {
        this.#waiting.delete(waiting)
        reject(this.#refusal(taker))
      })
      this.#waiting.add(waiting)
    })
  }

  #enter(taker: Taker): Leave | undefined {
    if (!this.#hasRoom(taker) || this.#all >= this.limits.longAnswers) return undefined
    this.#count(taker, 1)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      this.#count(taker, -1)
      this.#admitNext()
    }
  }

  /** Admits those that have waited longest, as far as their own limits allow. */
  #admitNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#all >= this.limits.longAnswers) return
      const leave = this.#enter(waiting.taker)
      if (leave) waiting.admit(leave)
    }
  }

  #hasRoom({ access, user }: Taker): boolean {
    const { longAnswersPerAccess } = this.limits
    return (
      (this.#counts.get(`${user} ${access}`) ?? 0) < longAnswersPerAccess &&
      (this.#counts.get(user) ?? 0) < accessesOfAccount * longAnswersPerAccess
    )
  }

  #isAnyAhead({ access, user }: Taker): boolean {
    for (const { taker } of this.#waiting) if (taker.access === access && taker.user === user) return true
    return false
  }

  #waitingOf({ access, user }: Taker): number {
    let count = 0
    for (const { taker } of this.#waiting) if (taker.access === access && taker.user === user) count++
    return count
  }

  #count({ access, user }: Taker, difference: 1 | -1): void {
    this.#all += difference
    for (const key of [user, `${user} ${access}`]) {
      const count = (this.#counts.get(key) ?? 0) + difference
      if (count === 0) this.#counts.delete(key)
      else this.#counts.set(key, count)
    }
  }

  #refusal(taker: Taker): ApiError {
    return this.#hasRoom(taker)
      ? new ApiError('api-unavailable', 'Too many long answers are under way. Please try again later', {
          retryAfter
        })
      : new ApiError(
          'too-many-requests',
          'This access has too many long answers under way. Please take them, then try again',
          { retryAfter }
        )
  }
}
