/** Counts what clients hold, by address: one of them must not take it all. */
import { networkOf } from '../core/security/network.js'

/** Gives back what was taken; a second time it does nothing. */
export type Return = () => void

export class AddressCounts {
  readonly #counts = new Map<string, number>()

  /** `isExempt`: addresses that stand for many clients, or for the operator. */
  constructor(
    private readonly most: number,
    private readonly isExempt: (address: string) => boolean
  ) {}

  /** Takes one more; `undefined` if the address has as many as it may have. */
  take(address: string): Return | undefined {
    if (this.isExempt(address)) return () => {}
    const network = networkOf(address)
    const count = this.#counts.get(network) ?? 0
    if (count >= this.most) return undefined
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
