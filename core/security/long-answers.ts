/**
 * Answers that take their client a while: each holds memory until it has been taken, so there is a place for so many of them
 * only, for one access, for one account, and in all. Others wait a little for a place.
 */
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'

/** Whose answer it is. */
export interface Taker {
  /** Name of the user below whose root it was asked for; empty outside of any. */
  readonly user: string
  /** Id of the access, or what else tells those apart who have none. */
  readonly access: string
}

/** Gives a place back; a second time it does nothing. */
export type Leave = () => void

interface Waiting {
  readonly taker: Taker
  admit(leave: Leave): void
}

/** Accesses of one account may have so many times the places of one. */
const accessesOfAccount = 5
/** Seconds for which an answer waits for a place. */
const patience = 10
/** Seconds after which somebody who was turned away may try again. */
const retryAfter = 5

export class LongAnswers {
  readonly #counts = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #all = 0

  constructor(
    private readonly limits: Pick<Config['limits'], 'longAnswers' | 'longAnswersPerAccess'>,
    private readonly clock: Clock
  ) {}

  /** Answers that have a place, and those that wait for one. */
  get load(): { readonly open: number; readonly waiting: number } {
    return { open: this.#all, waiting: this.#waiting.size }
  }

  /** Takes a place, if there is one. */
  take(taker: Taker): Leave | undefined {
    return this.#waiting.size === 0 || !this.#isAnyAhead(taker) ? this.#enter(taker) : undefined
  }

  /** Waits for a place. Errors: `too-many-requests` where the access has too many, `api-unavailable` where all have. */
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
      const cancel = this.clock.after(patience, () => {
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

  /** Those that have waited longest come first, as far as there is room for them. */
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
