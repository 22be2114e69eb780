/**
 * Limits the long responses being sent: each uses memory until the client has read it. There is a limited number of
 * places for one access, for one account, and in total; further responses wait briefly for a place. A response that is in memory as
 * a whole may take several.
 */
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'

/** The recipient of a response. */
export interface ResponseRecipient {
  /** The account under whose root it was requested; outside the root of any user, the address of the client. */
  readonly user: string
  /** Id of the access, or something else that distinguishes clients without an access. */
  readonly access: string
}

/** Releases the places of a response. Idempotent. */
export type ReleasePlace = () => void

interface Waiting {
  readonly recipient: ResponseRecipient
  readonly places: number
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

  /** Number of places taken, and number of responses that wait. */
  get load(): { readonly open: number; readonly waiting: number } {
    return { open: this.#total, waiting: this.#waiting.size }
  }

  /**
   * Acquires places, as many as one access may have at most; `undefined` if too few are free. Responses that wait for more places are
   * overtaken: short ones would otherwise wait for a long one, though there is room for them.
   */
  tryAcquire(recipient: ResponseRecipient, wanted = 1): ReleasePlace | undefined {
    const places = this.#limit(wanted)
    if (!this.#isWithinLimits(recipient, places) || this.#total + places > this.limits.longAnswers)
      return undefined
    this.#count(recipient, places)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#count(recipient, -places)
      this.#admitNext()
    }
  }

  /**
   * Waits for places, for 10 seconds at most. Returns a function that frees them. Errors: `too-many-requests`
   * if the access has too many responses, `api-unavailable` if all together; at once if too many wait.
   */
  async acquire(recipient: ResponseRecipient, wanted = 1): Promise<ReleasePlace> {
    const places = this.#limit(wanted)
    if (!this.#mayWait(recipient, places)) throw this.#createError(recipient, places)
    return await new Promise((resolve, reject) => {
      const waiting: Waiting = {
        recipient,
        places,
        admit: release => {
          cancel()
          this.#waiting.delete(waiting)
          resolve(release)
        }
      }
      const cancel = this.clock.after(maxWaitSeconds, () => {
        this.#waiting.delete(waiting)
        reject(this.#createError(recipient, places))
      })
      this.#waiting.add(waiting)
    })
  }

  /** Returns a number of places that can become free. */
  #limit(places: number): number {
    return Math.min(places, this.limits.longAnswersPerAccess, this.limits.longAnswers)
  }

  /** Admits the responses that have waited longest, as far as their own limits allow. */
  #admitNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#total >= this.limits.longAnswers) return
      const release = this.tryAcquire(waiting.recipient, waiting.places)
      if (release) waiting.admit(release)
    }
  }

  #isWithinLimits({ access, user }: ResponseRecipient, places: number): boolean {
    const { longAnswersPerAccess } = this.limits
    return (
      (this.#counts.get(`${user} ${access}`) ?? 0) + places <= longAnswersPerAccess &&
      (this.#counts.get(user) ?? 0) + places <= accessesPerAccount * longAnswersPerAccess
    )
  }

  /**
   * Returns whether a response may wait, since it is in memory meanwhile: if no other does, or if few places are waited for in all, by
   * the account and by the access. One account alone cannot prevent others from waiting.
   */
  #mayWait({ access, user }: ResponseRecipient, places: number): boolean {
    const { longAnswers, longAnswersPerAccess } = this.limits
    const isWithin = (limit: number, counts: (other: ResponseRecipient) => boolean): boolean => {
      let waiting = 0
      for (const other of this.#waiting) if (counts(other.recipient)) waiting += other.places
      return waiting === 0 || waiting + places <= limit
    }
    return (
      isWithin(longAnswers / 2, () => true) &&
      isWithin(Math.max(longAnswers / 4, longAnswersPerAccess), other => other.user === user) &&
      isWithin(longAnswersPerAccess, other => other.user === user && other.access === access)
    )
  }

  #count({ access, user }: ResponseRecipient, difference: number): void {
    this.#total += difference
    for (const key of [user, `${user} ${access}`]) {
      const count = (this.#counts.get(key) ?? 0) + difference
      if (count === 0) this.#counts.delete(key)
      else this.#counts.set(key, count)
    }
  }

  /** Creates the error for a response without its places. */
  #createError(recipient: ResponseRecipient, places: number): ApiError {
    return this.#isWithinLimits(recipient, places)
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
