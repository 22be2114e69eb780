/** Readiness of the service, for load balancers and supervisors. */
import type { Readiness } from './service-state.js'

/** How long a result is cached: probes are frequent, and need no authentication. */
const cacheMs = 1000

export class Health {
  #isStopping = false
  #result: Promise<Readiness> | undefined
  #checkedAtMs = -Infinity

  constructor(private readonly check: () => Promise<Readiness>) {}

  /** Reports the service as not ready from now on, so that it gets no new requests. */
  stop(): void {
    this.#isStopping = true
  }

  /**
   * Returns the results of the readiness checks, at most a second old. `running` is false once {@link stop} was
   * called.
   */
  async readiness(): Promise<Readiness & { readonly running: boolean }> {
    const nowMs = performance.now()
    if (!this.#result || nowMs - this.#checkedAtMs > cacheMs) {
      this.#result = this.check()
      this.#checkedAtMs = nowMs
    }
    return { ...(await this.#result), running: !this.#isStopping }
  }
}
