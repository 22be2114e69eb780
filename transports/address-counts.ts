/** Counts connections by client address, so that no single client can take them all. */
import { getNetwork } from '../core/security/network.js'

/** Releases a counted connection. Calling the function again has no effect. */
export type Release = () => void

export class AddressCounts {
  readonly #counts = new Map<string, number>()

  /** `max`: limit per address. `isExempt` returns whether an address has no limit, such as the address of a proxy. */
  constructor(
    private readonly max: number,
    private readonly isExempt: (address: string) => boolean
  ) {}

  /**
   * Counts a connection. Returns `undefined` if its address has reached the limit. An address without a limit
   * is not counted. Addresses of one IPv6 network count together.
   */
  acquire(address: string): Release | undefined {
    if (this.isExempt(address)) return () => {}
    const network = getNetwork(address)
    const count = this.#counts.get(network) ?? 0
    if (count >= this.max) return undefined
    this.#counts.set(network, count + 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#release(network)
      isHeld = false
    }
  }

  #release(network: string): void {
    const count = this.#counts.get(network)! - 1
    if (count > 0) this.#counts.set(network, count)
    else this.#counts.delete(network)
  }
}
