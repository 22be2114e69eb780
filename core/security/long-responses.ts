/**
 * Limits the long responses being sent: each uses memory until the client has read it. There is a limited number of
 * places for one access, for one account, and in total; further responses wait briefly for a place.
 */
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'

/** The recipient of a response. */
interface ResponseRecipient {
  /** Name of the user under whose root it was requested; empty for requests outside the root of any user. */
  readonly user: string
  /** Id of the access, or something else that distinguishes clients without an access. */
  readonly access: string
}

/** Releases a place. Idempotent. */
export type ReleasePlace = () => void

interface Waiting {
  readonly recipient: ResponseRecipient
  admit(release: ReleasePlace): void
}

/** Places of an account, as a multiple of the places of one access. */
const accessesPerAccount = 5
/** Maximum time that a response waits for a slot, in seconds. */
const maxWaitSeconds = 10
/** `Retry-After` of refused requests, in seconds. */
const retryAfter = 5

/** Gives places to long responses. */
export class LongResponses {
  readonly #counts = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #total = 0

  constructor(
    private readonly limits: Pick<Config['limits'], 'longAnswers' | 'longAnswersPerAccess'>,
    private readonly clock: Clock
  ) {}

  /** Number of responses that have a place, and number of responses that wait for a place. */
  get load(): { readonly open: number; readonly waiting: number } {
    return { open: this.#total, waiting: this.#waiting.size }
  }

  /** Acquires a place; `undefined` if no place is free, or others of the same access wait for one. */
  tryAcquire(recipient: ResponseRecipient): ReleasePlace | undefined {
    return this.#waiting.size === 0 || !this.#hasWaiting(recipient) ? this.#tryAcquire(recipient) : undefined
  }

  /**
   * Waits for a place, for 10 seconds at most. Returns a function that frees it. Errors: `too-many-requests`
   * if the access has too many responses, `api-unavailable` if all together; at once if too many wait.
   */
  async acquire(recipient: ResponseRecipient): Promise<ReleasePlace> {
    const { longAnswers, longAnswersPerAccess } = this.limits
    const isCrowded =
      this.#waiting.size >= longAnswers / 2 || this.#countWaiting(recipient) >= longAnswersPerAccess
    if (isCrowded) throw this.#createError(recipient)
    return await new Promise((resolve, reject) => {
      const waiting: Waiting = {
        recipient,
        admit: release => {
          cancel()
          this.#waiting.delete(waiting)
          resolve(release)
        }
      }
      const cancel = this.clock.after(maxWaitSeconds, () => {
        this.#waiting.delete(waiting)
        reject(this.#createError(recipient))
      })
      this.#waiting.add(waiting)
    })
  }

  /** Takes a place for a long response. Returns the function that releases it; `undefined` if no place is free. */
  #tryAcquire(recipient: ResponseRecipient): ReleasePlace | undefined {
    if (!this.#isWithinLimits(recipient) || this.#total >= this.limits.longAnswers) return undefined
    this.#count(recipient, 1)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#count(recipient, -1)
      this.#admitNext()
    }
  }

  /** Admits the responses that have waited longest, as far as their own limits allow. */
  #admitNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#total >= this.limits.longAnswers) return
      const release = this.#tryAcquire(waiting.recipient)
      if (release) waiting.admit(release)
    }
  }

  #isWithinLimits({ access, user }: ResponseRecipient): boolean {
    const { longAnswersPerAccess } = this.limits
    return (
      (this.#counts.get(`${user} ${access}`) ?? 0) < longAnswersPerAccess &&
      (this.#counts.get(user) ?? 0) < accessesPerAccount * longAnswersPerAccess
    )
  }

  #hasWaiting({ access, user }: ResponseRecipient): boolean {
    for (const { recipient } of this.#waiting)
      if (recipient.access === access && recipient.user === user) return true
    return false
  }

  #countWaiting({ access, user }: ResponseRecipient): number {
    let count = 0
    for (const { recipient } of this.#waiting)
      if (recipient.access === access && recipient.user === user) count++
    return count
  }

  #count({ access, user }: ResponseRecipient, difference: 1 | -1): void {
    this.#total += difference
    for (const key of [user, `${user} ${access}`]) {
      const count = (this.#counts.get(key) ?? 0) + difference
      if (count === 0) this.#counts.delete(key)
      else this.#counts.set(key, count)
    }
  }

  /** Creates the error for a response without a place. */
  #createError(recipient: ResponseRecipient): ApiError {
    return this.#isWithinLimits(recipient)
      ? new ApiError('api-unavailable', 'Too many large responses are in progress. Try again later', {
          retryAfter
        })
      : new ApiError(
          'too-many-requests',
          'This access has too many large responses in progress. Read them, then try again',
          { retryAfter }
        )
  }
}
