/** Sign-ins on their way to a provider and back: few, for minutes, each good once. (docs/spec/identities.md#limits) */
import { ApiError } from '../errors.js'
import { networkOf } from '../security/network.js'

/** A sign-in that has begun. */
export interface PendingSignIn {
  readonly provider: string
  readonly nonce: string
  /** Of PKCE. */
  readonly verifier: string
  /** Digest of the cookie of the browser in which it has begun. */
  readonly browser: string
  /** Digest of the secret of the page in which it has begun. */
  readonly secret: string
  /** The URL of that page. */
  readonly page: string
}

interface Kept extends PendingSignIn {
  readonly network: string
  /** Seconds. */
  readonly expires: number
}

/** Seconds that somebody may take at the provider. */
export const signInLife = 600
/** Most at a time: of all, and from one address. Each takes up to 2 KB. */
const maxPending = 10_000
const maxPerAddress = 100

export class PendingSignIns {
  /** By state, the oldest first: all live equally long. */
  readonly #kept = new Map<string, Kept>()
  readonly #perNetwork = new Map<string, number>()

  /** Keeps a sign-in. Throws `too-many-requests`; beyond the limit of all, the oldest is dropped. */
  add(state: string, pending: PendingSignIn, ip: string, now: number): void {
    this.#dropExpired(now)
    const network = networkOf(ip)
    const count = this.#perNetwork.get(network) ?? 0
    if (count >= maxPerAddress)
      throw new ApiError('too-many-requests', 'Too many sign-ins have been begun from here', {
        retryAfter: signInLife
      })
    this.#perNetwork.set(network, count + 1)
    this.#kept.set(state, { ...pending, network, expires: now + signInLife })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxPending) break
      this.#drop(oldest)
    }
  }

  /** Returns a sign-in, which nobody gets again; `undefined` if there is none, or it has expired. */
  take(state: string, now: number): PendingSignIn | undefined {
    this.#dropExpired(now)
    const kept = this.#kept.get(state)
    this.#drop(state)
    return kept
  }

  get size(): number {
    return this.#kept.size
  }

  #dropExpired(now: number): void {
    for (const [state, { expires }] of this.#kept) {
      if (expires > now) return
      this.#drop(state)
    }
  }

  #drop(state: string): void {
    const kept = this.#kept.get(state)
    if (!kept) return
    this.#kept.delete(state)
    const left = this.#perNetwork.get(kept.network)! - 1
    if (left > 0) this.#perNetwork.set(kept.network, left)
    else this.#perNetwork.delete(kept.network)
  }
}
