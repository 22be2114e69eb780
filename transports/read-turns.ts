/** Gives turns to reads that take much memory or time: one per account at a time, those of its accesses in turn. */
import { getPresentedToken } from '../core/auth/authenticate.js'
import { getAccountKey } from '../core/call/account-key.js'
import type { Dispatcher } from '../core/call/dispatcher.js'
import { ApiError } from '../core/errors.js'
import { FairScheduler } from '../core/security/fair-scheduler.js'
import type { ReadRequest } from './endpoints.js'

/** Maximum number of reads at a time. */
const maxConcurrent = 4
/** Maximum number of reads of an access and of an account that wait: no access takes the room of others. */
const [maxWaiting, maxWaitingOfAccount] = [100, 400]
/** `Retry-After` of reads that cannot wait, in seconds. */
const retryAfter = 5

export class ReadTurns {
  readonly #turns = new FairScheduler(maxConcurrent)

  /** `method`: the method that reads begin with. */
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly method: string
  ) {}

  /**
   * Does work of an access once it is its turn. Throws `too-many-requests` if too many wait, and the errors of a call whose access
   * is not valid: only accesses wait.
   */
  async run<T>(
    { credentials, signal, user }: Pick<ReadRequest, 'credentials' | 'signal' | 'user'>,
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
    return await this.#turns.run({ account, access }, work, signal)
  }
}
