/** Somebody who goes on using the service while something happens to it, and tells how long that took. */
import type { Client } from './coffer.js'

export class Probe {
  constructor(private readonly client: Client) {}

  /**
   * Runs something. `slowestMs` is the longest call of the probe's meanwhile: in time on the clock, or of the processor
   * where that is less, so that a busy machine is not taken for a service that stands still.
   */
  async during<T>(run: () => Promise<T>): Promise<{ value: T; slowestMs: number }> {
    const work = { isOver: false }
    let slowestMs = 0
    const probing = async (): Promise<void> => {
      do {
        const start = performance.now()
        const used = process.cpuUsage()
        const { status } = await this.client.http('GET', '/streams')
        const { system, user } = process.cpuUsage(used)
        if (status !== 200) throw new Error(`the probe was answered by ${status}`)
        slowestMs = Math.max(slowestMs, Math.min(performance.now() - start, (system + user) / 1000))
        await new Promise(resolve => setTimeout(resolve, 20))
      } while (!work.isOver)
    }
    const probed = probing()
    const [ran] = await Promise.allSettled([run().finally(() => (work.isOver = true)), probed])
    await probed
    if (ran.status === 'rejected') throw ran.reason
    return { value: ran.value, slowestMs }
  }
}
