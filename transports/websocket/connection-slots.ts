/** Limits the number of connections: in total, per address, and of those not authenticated. */
import { AddressCounts, type Release } from '../address-counts.js'

/** Maximum number of unauthenticated connections, in total and per address. Clients authenticate within moments. */
const maxUnauthenticated = 2000
const maxUnauthenticatedPerAddress = 200
/** If no slot is free, an unauthenticated connection older than this is evicted, in milliseconds. */
const graceMs = 2000

interface ConnectionLimits {
  /** Maximum number of connections, in total and per address. */
  readonly connections: number
  readonly perAddress: number
  /** Returns whether an address has no limit, because many clients share it. */
  readonly isExempt: (address: string) => boolean
}

/** The status that says why no slot is free: too many from this address, or too many in total. */
export type SlotRefusal = 429 | 503

export class ConnectionSlots {
  #count = 0
  readonly #max: number
  readonly #maxUnauthenticated: number
  readonly #byAddress: AddressCounts
  readonly #unauthenticatedByAddress: AddressCounts
  /** Slots of unauthenticated connections, in the order in which they became unauthenticated. */
  readonly #unauthenticated = new Set<Slot>()

  constructor({ connections, isExempt, perAddress }: ConnectionLimits) {
    this.#max = connections
    this.#maxUnauthenticated = Math.min(maxUnauthenticated, Math.ceil(connections / 2))
    this.#byAddress = new AddressCounts(perAddress, isExempt)
    this.#unauthenticatedByAddress = new AddressCounts(
      Math.min(maxUnauthenticatedPerAddress, perAddress),
      isExempt
    )
  }

  /**
   * Reserves a slot for a new connection; may close the oldest unauthenticated one for it. Returns the status
   * of a refusal: 429 if its address has too many, 503 if there are too many in all.
   */
  acquire(address: string): Slot | SlotRefusal {
    if (this.#count >= this.#max) return 503
    const leave = this.#byAddress.acquire(address)
    if (!leave) return 429
    const countUnauthenticated = (): Release | undefined => this.#unauthenticatedByAddress.acquire(address)
    const release = countUnauthenticated()
    const hasRoom = release && (this.#unauthenticated.size < this.#maxUnauthenticated || this.#evictOldest())
    if (!hasRoom) {
      release?.()
      leave()
      return release ? 503 : 429
    }
    this.#count++
    return new Slot(this.#unauthenticated, countUnauthenticated, release, () => {
      leave()
      this.#count--
    })
  }

  #evictOldest(): boolean {
    const [oldest] = this.#unauthenticated
    if (!oldest || performance.now() - oldest.unauthenticatedSinceMs < graceMs) return false
    oldest.release()
    oldest.evict()
    return true
  }
}

/** The slot of one connection, which is unauthenticated at first. */
export class Slot {
  unauthenticatedSinceMs = performance.now()
  /** Closes the connection. */
  evict: () => void = () => {}
  #isReleased = false

  constructor(
    private readonly unauthenticated: Set<Slot>,
    private readonly countUnauthenticated: () => Release | undefined,
    private releaseUnauthenticated: Release | undefined,
    private readonly onRelease: () => void
  ) {
    unauthenticated.add(this)
  }

  /** Marks the connection as authenticated. */
  markAuthenticated(): void {
    this.unauthenticated.delete(this)
    this.releaseUnauthenticated?.()
  }

  /** Marks the connection as unauthenticated, because its last namespace has been closed. */
  markUnauthenticated(): void {
    if (this.#isReleased) return
    this.unauthenticatedSinceMs = performance.now()
    this.unauthenticated.add(this)
    // The limit per address does not apply, because the connection is already open.
    this.releaseUnauthenticated = this.countUnauthenticated()
  }

  /** Frees the slot when the connection ends. Idempotent. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.markAuthenticated()
    this.onRelease()
  }
}
