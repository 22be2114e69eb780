/** Gives turns to reads that take much memory or time: one per account at a time, those of its accesses in turn. */
import { getPresentedToken } from '../core/auth/authenticate.js'
import { getAccountKey } from '../core/call/account-key.js'
import type { Dispatcher } from '../core/call/dispatcher.js'
import { ApiError } from '../core/errors.js'
import { FairScheduler } from '../core/security/fair-scheduler.js'
import type { ReadRequest } from './endpoints.js'
import type { UserCalls } from './user-calls.js'

/** Maximum number of reads at a time, and of those beside them that take long. */
const [maxConcurrent, maxLong] = [4, 4]
/** Time after which a read takes long, in seconds, and for which it can go on from then on. */
const [longSeconds, graceSeconds] = [1, 10]
/** Maximum number of reads of an access and of an account that wait: no access takes the room of others. */
const [maxWaiting, maxWaitingOfAccount] = [100, 400]
/** `Retry-After` of reads that cannot wait, in seconds. */
const retryAfter = 5

export class ReadTurns {
  readonly #turns = new FairScheduler(maxConcurrent)
  /** The calls of reads that take long, those of the longest one first, and since when, in seconds. */
  readonly #long = new Map<UserCalls, number>()

  /** `method`: the method that reads begin with. */
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly method: string
  ) {}

  /**
   * Does work of an access once it is its turn. Throws `too-many-requests` if too many wait, and the errors of a call whose access
   * is not valid: only accesses wait. Work that takes long makes room for that of other accounts; if too much does, the calls of what
   * has taken longest throw `api-unavailable` after ten seconds.
   */
  async run<T>(
    { calls, credentials, signal, user }: Pick<ReadRequest, 'calls' | 'credentials' | 'signal' | 'user'>,
    work: () => Promise<T>
  ): Promise<T> {
    const checked = await this.dispatcher.precheck({ user, method: this.method, credentials })
    if (!checked.ok) throw checked.error
    // Not the header, which may have the same token in many forms.
    const access = getPresentedToken(credentials) ?? ''
    const account = getAccountKey(this.dispatcher.services, user)
    if (
      this.#turns.countWaiting(account, access) >= maxWaiting ||
      this.#turns.countWaiting(account) >= maxWaitingOfAccount
    )
      throw new ApiError('too-many-requests', 'Too many requests are waiting. Try again later', {
        retryAfter
      })
    const run = async (leavePlace: () => void): Promise<T> => {
      const cancel = this.#watch(calls, leavePlace)
      try {
        return await work()
      } finally {
        cancel()
      }
    }
    return await this.#turns.run({ account, access }, run, signal)
  }

  /** Calls `leavePlace` once a read takes long and others wait. Returns a function for its end. */
  #watch(calls: UserCalls, leavePlace: () => void): () => void {
    const { clock } = this.dispatcher.services
    const check = (): void => {
      const now = clock.now()
      if (!this.#turns.areOthersWaiting || !this.#makeRoom(now)) {
        cancel = clock.after(longSeconds, check)
        return
      }
      this.#long.set(calls, now)
      leavePlace()
    }
    let cancel = clock.after(longSeconds, check)
    return () => {
      cancel()
      this.#long.delete(calls)
    }
  }

  /** Stops the longest read if too many take long. Returns false if it has not gone on for long enough: the machine may be slow. */
  #makeRoom(now: number): boolean {
    if (this.#long.size < maxLong) return true
    const [longest, since] = this.#long.entries().next().value!
    if (now - since < graceSeconds) return false
    longest.stop(
      new ApiError('api-unavailable', 'The request takes too long while others wait. Ask for less', {
        retryAfter
      })
    )
    return this.#long.delete(longest)
  }
}
