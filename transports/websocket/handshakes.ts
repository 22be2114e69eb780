/** Limits the number of connections: in total, per address, and of those not yet authenticated ("strangers"). */
import { AddressCounts, type Return } from '../address-counts.js'

/** Maximum number of strangers, in total and per address. Clients authenticate within moments. */
const maxStrangers = 2000
const maxStrangersPerAddress = 200
/** When no slot is free, a stranger older than this is evicted, in milliseconds. */
const graceMs = 2000

export interface HandshakeLimits {
  /** Maximum number of connections, in total and per address. */
  readonly connections: number
  readonly perAddress: number
  /** Whether an address has no limit, since it stands for many clients. */
  readonly isExempt: (address: string) => boolean
}

/** The status that says why no slot is free: too many from this address, or too many in total. */
export type NoSlot = 429 | 503

export class Handshakes {
  #count = 0
  readonly #max: number
  readonly #maxStrangers: number
  readonly #byAddress: AddressCounts
  readonly #strangersByAddress: AddressCounts
  /** In the order in which they became strangers. */
  readonly #strangers = new Set<Slot>()

  constructor({ connections, isExempt, perAddress }: HandshakeLimits) {
    this.#max = connections
    this.#maxStrangers = Math.min(maxStrangers, Math.ceil(connections / 2))
    this.#byAddress = new AddressCounts(perAddress, isExempt)
    this.#strangersByAddress = new AddressCounts(Math.min(maxStrangersPerAddress, perAddress), isExempt)
  }

  /** Reserves a slot for a new connection. */
  take(address: string): Slot | NoSlot {
    if (this.#count >= this.#max) return 503
    const leave = this.#byAddress.take(address)
    if (!leave) return 429
    const countStranger = (): Return | undefined => this.#strangersByAddress.take(address)
    const release = countStranger()
    const hasRoom = release && (this.#strangers.size < this.#maxStrangers || this.#evictOldest())
    if (!hasRoom) {
      release?.()
      leave()
      return release ? 503 : 429
    }
    this.#count++
    return new Slot(this.#strangers, countStranger, release, () => {
      leave()
      this.#count--
    })
  }

  #evictOldest(): boolean {
    const [oldest] = this.#strangers
    if (!oldest || performance.now() - oldest.sinceMs < graceMs) return false
    oldest.leave()
    oldest.evict()
    return true
  }
}

/** The slot of one connection, which begins as a stranger. */
export class Slot {
  sinceMs = performance.now()
  /** Closes the connection. */
  evict: () => void = () => {}
  #isLeft = false

  constructor(
    private readonly strangers: Set<Slot>,
    private readonly countStranger: () => Return | undefined,
    private releaseStranger: Return | undefined,
    private readonly end: () => void
  ) {
    strangers.add(this)
  }

  /** Called when the client has authenticated. */
  admitted(): void {
    this.strangers.delete(this)
    this.releaseStranger?.()
  }

  /** Called when the last authenticated namespace has been closed. */
  estranged(): void {
    if (this.#isLeft) return
    this.sinceMs = performance.now()
    this.strangers.add(this)
    // The limit per address does not apply: the connection is already open.
    this.releaseStranger = this.countStranger()
  }

  leave(): void {
    if (this.#isLeft) return
    this.#isLeft = true
    this.admitted()
    this.end()
  }
}
