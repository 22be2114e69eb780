/** Pending sign-ins at a provider: few, for minutes, each usable once. (docs/spec/identities.md#limits) */
import { ApiError } from '../errors.js'
import { getNetwork } from '../security/network.js'

/** A sign-in that has begun. */
export interface PendingSignIn {
  readonly provider: string
  readonly nonce: string
  /** The code verifier of PKCE. */
  readonly verifier: string
  /** Digest of the cookie of the browser in which the sign-in has begun. */
  readonly browser: string
  /** Digest of the secret of the page in which the sign-in has begun. */
  readonly secret: string
  /** The URL of that page. */
  readonly page: string
}

interface StoredSignIn extends PendingSignIn {
  readonly network: string
  /** Seconds. */
  readonly expires: number
}

/** Seconds that a user may take at the provider. */
export const signInLifetime = 600
/** Maximum numbers of pending sign-ins: in total, and from one address. Each takes up to 2 KB. */
const maxPending = 10_000
const maxPerAddress = 100

/** The sign-ins that users have begun in this process and not completed. */
export class PendingSignIns {
  /** By state, the oldest first: all have the same lifetime. */
  readonly #signIns = new Map<string, StoredSignIn>()
  readonly #perNetwork = new Map<string, number>()

  /**
   * Stores a sign-in. Throws `too-many-requests` for too many from one address; beyond the total limit, the oldest is
   * dropped.
   */
  add(state: string, pending: PendingSignIn, ip: string, now: number): void {
    this.#dropExpired(now)
    const network = getNetwork(ip)
    const count = this.#perNetwork.get(network) ?? 0
    if (count >= maxPerAddress)
      throw new ApiError(
        'too-many-requests',
        'Too many pending sign-ins from this address. Try again later',
        {
          retryAfter: signInLifetime
        }
      )
    this.#perNetwork.set(network, count + 1)
    this.#signIns.set(state, { ...pending, network, expires: now + signInLifetime })
    for (const oldest of this.#signIns.keys()) {
      if (this.#signIns.size <= maxPending) break
      this.#drop(oldest)
    }
  }

  /** Removes and returns a sign-in; `undefined` if the sign-in is unknown or has expired. */
  take(state: string, now: number): PendingSignIn | undefined {
    this.#dropExpired(now)
    const kept = this.#signIns.get(state)
    this.#drop(state)
    return kept
  }

  /** Number of stored sign-ins, expired ones among them. */
  get size(): number {
    return this.#signIns.size
  }

  #dropExpired(now: number): void {
    for (const [state, { expires }] of this.#signIns) {
      if (expires > now) return
      this.#drop(state)
    }
  }

  #drop(state: string): void {
    const kept = this.#signIns.get(state)
    if (!kept) return
    this.#signIns.delete(state)
    const left = this.#perNetwork.get(kept.network)! - 1
    if (left > 0) this.#perNetwork.set(kept.network, left)
    else this.#perNetwork.delete(kept.network)
  }
}
