/**
 * What waits in memory for all sockets together, for clients to take it or for calls to be made: bounded in all, and so that
 * neither an access nor an account takes it all.
 */
import { ApiError } from '../../core/errors.js'

/** Seconds after which another attempt makes sense. */
const retryAfter = 5

/** Bytes of an account or an access. */
class Share {
  bytes = 0
  holders = 0
}

export class Backlog {
  readonly #all = new Share()
  readonly #shares = new Map<string, Share>()

  /** `most`: bytes in all. `largest`: those of one answer, for which there must be room. */
  constructor(
    private readonly most: number,
    private readonly largest: number
  ) {}

  /** The part of somebody who has been let in. */
  holder(accountId: string, token: string): Holder {
    const keys = [`${accountId} ${token}`, accountId] as const
    const [access, account] = keys.map(key => this.#share(key)) as [Share, Share]
    const bounds = [
      [access, Math.max(this.most / 4, this.largest)],
      [account, Math.max(this.most / 2, this.largest)],
      [this.#all, Math.max(this.most, this.largest)]
    ] as const
    return new Holder(bounds, () => {
      for (const key of keys) {
        const share = this.#shares.get(key)
        if (share?.holders === 0 && share.bytes === 0) this.#shares.delete(key)
      }
    })
  }

  #share(key: string): Share {
    let share = this.#shares.get(key)
    if (!share) this.#shares.set(key, (share = new Share()))
    share.holders++
    return share
  }
}

type Bounds = readonly (readonly [share: Share, most: number])[]

/** The part of one socket. What it holds counts for its access and its account, too. */
export class Holder {
  #hasLeft = false

  constructor(
    private readonly bounds: Bounds,
    private readonly forget: () => void
  ) {}

  /** Notes bytes that wait, or, below 0, that wait no more. */
  add(bytes: number): void {
    for (const [share] of this.bounds) share.bytes += bytes
    if (this.#hasLeft) this.forget()
  }

  /** The error for somebody who would hold so many bytes more; `undefined` if there is room. */
  refusal(bytes: number): ApiError | undefined {
    const full = this.bounds.findIndex(([share, most]) => share.bytes + bytes > most)
    if (full < 0) return undefined
    return full === this.bounds.length - 1
      ? new ApiError('api-unavailable', 'Too many answers wait for clients that do not take them', details)
      : new ApiError('too-many-requests', 'Too many answers wait that you have not taken', details)
  }

  /** Takes no part any more; what it still holds counts until it is gone. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    for (const [share] of this.bounds.slice(0, 2)) share.holders--
    this.forget()
  }
}

const details = { retryAfter, data: { retryAfter } }
