/** Records disk usage and the number of accounts once a day in the platform file. (docs/spec/administration.md#growth) */
import type { Services } from '../core/call/services.js'
import type { DiskUsageMeter } from './disk-usage.js'

/** Milliseconds from the start to the first measurement, so that short runs of the service are not measured. */
const firstCheckMs = 60_000
/** Milliseconds between checks whether the day has been measured. */
const intervalMs = 3_600_000

export class GrowthLog {
  readonly #timers: readonly NodeJS.Timeout[]
  #measuring: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(
    private readonly services: Pick<Services, 'clock' | 'log' | 'platform'>,
    private readonly space: DiskUsageMeter
  ) {
    const check = (): void => void this.check()
    this.#timers = [setTimeout(check, firstCheckMs), setInterval(check, intervalMs)]
    for (const timer of this.#timers) timer.unref()
  }

  /**
   * Measures, unless today has been measured. Never rejects. If it has been measured, only the number of
   * accounts is updated.
   */
  check(): Promise<void> {
    this.#measuring = this.#measuring.then(() => this.#measure())
    return this.#measuring
  }

  /** Stops measuring; a measurement in progress is discarded. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#measuring
  }

  /**
   * Updates the number of accounts recorded for today. The day's measurement may have been made before the first account
   * existed.
   */
  async #countAccounts(): Promise<void> {
    const { clock, platform } = this.services
    const { accounts } = platform.accountStatuses.counts()
    const today = platform.growth.list().at(-1)
    if (!today || today.accounts === null || today.accounts === accounts) return
    const { attachments, documents, others, previews } = today
    if (documents === null || attachments === null || others === null || previews === null) return
    const space = { attachments, documents, others, previews }
    await platform.change('measureGrowth', clock.now(), { ...space, accounts })
  }

  /** Records the sizes of the day, unless they are recorded already. Failures are logged. */
  async #measure(): Promise<void> {
    const { clock, log, platform } = this.services
    try {
      if (this.#isClosed) return
      if (platform.growth.isMeasured(clock.now())) return await this.#countAccounts()
      await this.space.measure()
      const space = this.space.getLatest()
      if (!space || this.#isClosed) return
      const { accounts } = platform.accountStatuses.counts()
      await platform.change('measureGrowth', clock.now(), { ...space, accounts })
    } catch (cause) {
      log.warn('the growth of the service could not be recorded', { cause })
    }
  }
}
