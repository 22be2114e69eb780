/** Whether the service is alive, and whether it is of use: for whoever restarts it, and whoever sends it requests. */
import type { Readiness } from './gauges.js'

/** For so long an answer holds: probes come often, and may come from anybody. */
const holdsMs = 1000

export class Health {
  #isStopping = false
  #asked: Promise<Readiness> | undefined
  #askedAtMs = -Infinity

  constructor(private readonly check: () => Promise<Readiness>) {}

  /** From now on nothing new is to be sent here. */
  stop(): void {
    this.#isStopping = true
  }

  async readiness(): Promise<Readiness & { readonly running: boolean }> {
    const nowMs = performance.now()
    if (!this.#asked || nowMs - this.#askedAtMs > holdsMs) {
      this.#asked = this.check()
      this.#askedAtMs = nowMs
    }
    return { ...(await this.#asked), running: !this.#isStopping }
  }
}
