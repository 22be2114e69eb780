/** Counts connections by client address, so that no single client can take them all. */
import { getNetwork } from '../core/security/network.js'

/** Releases what was taken. Calling it again has no effect. */
export type Return = () => void

export class AddressCounts {
  readonly #counts = new Map<string, number>()

  /** `max` for each address; `isExempt` says which addresses have no limit, such as proxies. */
  constructor(
    private readonly max: number,
    private readonly isExempt: (address: string) => boolean
  ) {}

  /** Takes one more. Returns `undefined` if the address has reached its limit. */
  take(address: string): Return | undefined {
    if (this.isExempt(address)) return () => {}
    const network = getNetwork(address)
    const count = this.#counts.get(network) ?? 0
    if (count >= this.max) return undefined
    this.#counts.set(network, count + 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#release(network)
      isTaken = false
    }
  }

  #release(network: string): void {
    const count = this.#counts.get(network)! - 1
    if (count > 0) this.#counts.set(network, count)
    else this.#counts.delete(network)
  }
}
