/**
 * Memory for responses that clients have not read and calls that have not been made: limited in total for all
 * sockets, and per access and account, so that no one takes it all.
 */
import { ApiError } from '../../core/errors.js'

/** Value of `Retry-After`, in seconds. */
const retryAfter = 5

/** Bytes counted for an account or an access. */
class Tally {
  bytes = 0
  holders = 0
}

export class Backlog {
  readonly #all = new Tally()
  readonly #tallies = new Map<string, Tally>()

  /** `max`: bytes in total. `largest`: bytes of the largest response, for which there must always be room. */
  constructor(
    private readonly max: number,
    private readonly largest: number
  ) {}

  /** Returns the holder of an authenticated socket. */
  holder(accountId: string, token: string): Holder {
    const keys = [`${accountId} ${token}`, accountId] as const
    const [access, account] = keys.map(key => this.#tally(key)) as [Tally, Tally]
    const bounds = [
      [access, Math.max(this.max / 4, this.largest)],
      [account, Math.max(this.max / 2, this.largest)],
      [this.#all, Math.max(this.max, this.largest)]
    ] as const
    return new Holder(bounds, () => {
      for (const key of keys) {
        const tally = this.#tallies.get(key)
        if (tally?.holders === 0 && tally.bytes === 0) this.#tallies.delete(key)
      }
    })
  }

  #tally(key: string): Tally {
    let tally = this.#tallies.get(key)
    if (!tally) this.#tallies.set(key, (tally = new Tally()))
    tally.holders++
    return tally
  }
}

type Bounds = readonly (readonly [tally: Tally, max: number])[]

/** The bytes of one socket, which also count for its access and its account. */
export class Holder {
  #hasLeft = false

  constructor(
    private readonly bounds: Bounds,
    private readonly forget: () => void
  ) {}

  /** Adds bytes that wait, or removes them if negative. */
  add(bytes: number): void {
    for (const [tally] of this.bounds) tally.bytes += bytes
    if (this.#hasLeft) this.forget()
  }

  /** Returns the error for holding this many more bytes; `undefined` if there is room. */
  refusal(bytes: number): ApiError | undefined {
    const full = this.bounds.findIndex(([tally, max]) => tally.bytes + bytes > max)
    if (full < 0) return undefined
    return full === this.bounds.length - 1
      ? new ApiError('api-unavailable', 'Too many responses are waiting to be read by clients', details)
      : new ApiError('too-many-requests', 'Too many responses are waiting to be read', details)
  }

  /** Releases the holder; bytes that it still holds count until they are gone. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    for (const [tally] of this.bounds.slice(0, 2)) tally.holders--
    this.forget()
  }
}

const details = { retryAfter, data: { retryAfter } }
