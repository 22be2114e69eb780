/**
 * Limits the memory of responses that clients have not read and of calls that have not been made: in total for all
 * sockets, and per access and account, so that no client can use all of it.
 */
import { ApiError } from '../../core/errors.js'

/** Value of `Retry-After`, in seconds. */
const retryAfter = 5

/** Bytes counted for an account or an access. */
class Counter {
  bytes = 0
  shares = 0
}

export class Backlog {
  readonly #all = new Counter()
  readonly #counters = new Map<string, Counter>()

  /** `maxBytes`: limit for all sockets together. `maxResponseBytes`: size of the largest response, for which there is always room. */
  constructor(
    private readonly maxBytes: number,
    private readonly maxResponseBytes: number
  ) {}

  /** Returns the share of an authenticated socket. It must be released. */
  createShare(accountId: string, token: string): BacklogShare {
    const keys = [`${accountId} ${token}`, accountId] as const
    const [access, account] = keys.map(key => this.#acquireCounter(key)) as [Counter, Counter]
    const limits = [
      [access, Math.max(this.maxBytes / 4, this.maxResponseBytes)],
      [account, Math.max(this.maxBytes / 2, this.maxResponseBytes)],
      [this.#all, Math.max(this.maxBytes, this.maxResponseBytes)]
    ] as const
    return new BacklogShare(limits, () => {
      for (const key of keys) {
        const counter = this.#counters.get(key)
        if (counter?.shares === 0 && counter.bytes === 0) this.#counters.delete(key)
      }
    })
  }

  #acquireCounter(key: string): Counter {
    let counter = this.#counters.get(key)
    if (!counter) this.#counters.set(key, (counter = new Counter()))
    counter.shares++
    return counter
  }
}

type Limits = readonly (readonly [counter: Counter, maxBytes: number])[]

/** The share of one socket, whose bytes also count for its access and its account. */
export class BacklogShare {
  #isReleased = false

  constructor(
    private readonly limits: Limits,
    private readonly removeUnused: () => void
  ) {}

  /** Adds waiting bytes; removes them if negative. */
  add(bytes: number): void {
    for (const [counter] of this.limits) counter.bytes += bytes
    if (this.#isReleased) this.removeUnused()
  }

  /**
   * Returns `undefined` if there is room for this many more bytes. Otherwise returns an error:
   * `too-many-requests` if the access or account has too many, `api-unavailable` if all sockets together
   * have.
   */
  checkRoom(bytes: number): ApiError | undefined {
    const exceeded = this.limits.findIndex(([counter, maxBytes]) => counter.bytes + bytes > maxBytes)
    if (exceeded < 0) return undefined
    return exceeded === this.limits.length - 1
      ? new ApiError('api-unavailable', 'Too many responses are waiting to be read by clients', retryDetails)
      : new ApiError('too-many-requests', 'Too many responses are waiting to be read', retryDetails)
  }

  /** Releases the share. Its remaining bytes count until they are removed. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    for (const [counter] of this.limits.slice(0, 2)) counter.shares--
    this.removeUnused()
  }
}

const retryDetails = { retryAfter, data: { retryAfter } }
