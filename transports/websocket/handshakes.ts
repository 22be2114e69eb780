/** How many connections there may be: in all, from one address, and of strangers, who have not shown a token yet. */
import { AddressCounts, type Return } from '../address-counts.js'

/** Strangers at a time, in all and from one address. They are strangers for a moment only. */
const strangersInAll = 2000
const strangersPerAddress = 200
/** Who has been a stranger for longer than this makes room for others when there is none, in milliseconds. */
const graceMs = 2000

export interface Room {
  /** Connections at a time, in all and from one address. */
  readonly connections: number
  readonly perAddress: number
  /** Whether an address stands for any number of clients. */
  readonly isExempt: (address: string) => boolean
}

/** Why there is no place: this address has too many already, or all have. */
export type NoPlace = 429 | 503

export class Handshakes {
  #count = 0
  readonly #most: number
  readonly #mostStrangers: number
  readonly #byAddress: AddressCounts
  readonly #strangersByAddress: AddressCounts
  /** Those that have been strangers for longest come first. */
  readonly #strangers = new Set<Place>()

  constructor({ connections, isExempt, perAddress }: Room) {
    this.#most = connections
    this.#mostStrangers = Math.min(strangersInAll, Math.ceil(connections / 2))
    this.#byAddress = new AddressCounts(perAddress, isExempt)
    this.#strangersByAddress = new AddressCounts(Math.min(strangersPerAddress, perAddress), isExempt)
  }

  /** Takes a place for a connection that begins. */
  take(address: string): Place | NoPlace {
    if (this.#count >= this.#most) return 503
    const leave = this.#byAddress.take(address)
    if (!leave) return 429
    const meet = (): Return | undefined => this.#strangersByAddress.take(address)
    const met = meet()
    const isRoom = met && (this.#strangers.size < this.#mostStrangers || this.#evictOldest())
    if (!isRoom) {
      met?.()
      leave()
      return met ? 503 : 429
    }
    this.#count++
    return new Place(this.#strangers, meet, met, () => {
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

/** The place of one connection: a stranger's to begin with. */
export class Place {
  sinceMs = performance.now()
  /** Closes the connection. */
  evict: () => void = () => {}
  #isLeft = false

  constructor(
    private readonly strangers: Set<Place>,
    private readonly meet: () => Return | undefined,
    private part: Return | undefined,
    private readonly end: () => void
  ) {
    strangers.add(this)
  }

  /** Its client has shown a token. */
  admitted(): void {
    this.strangers.delete(this)
    this.part?.()
  }

  /** Nothing is open on it any more that needed a token. */
  estranged(): void {
    if (this.#isLeft) return
    this.sinceMs = performance.now()
    this.strangers.add(this)
    // Even if there are too many from its address: it was let in before.
    this.part = this.meet()
  }

  leave(): void {
    if (this.#isLeft) return
    this.#isLeft = true
    this.admitted()
    this.end()
  }
}
