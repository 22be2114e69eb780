/** Measures once a day how much the service holds, and keeps it in the platform file. (docs/spec/administration.md#growth) */
import type { Services } from '../core/call/services.js'
import type { SpaceMeter } from './space.js'

/** A process that runs for less than that is no measure of anything: milliseconds. */
const firstMs = 60_000
/** Milliseconds between looks at whether the day has been measured. */
const lookMs = 3_600_000

export class GrowthLog {
  readonly #timers: readonly NodeJS.Timeout[]
  #measuring: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(
    private readonly services: Pick<Services, 'clock' | 'log' | 'platform'>,
    private readonly space: SpaceMeter
  ) {
    const look = (): void => void this.look()
    this.#timers = [setTimeout(look, firstMs), setInterval(look, lookMs)]
    for (const timer of this.#timers) timer.unref()
  }

  /** Measures unless that has been done today. Never rejects. */
  look(): Promise<void> {
    this.#measuring = this.#measuring.then(() => this.#measure())
    return this.#measuring
  }

  /** Stops looking; what is being measured is not kept. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#measuring
  }

  /** Brings the number of accounts of today up to date: the first measurement may be older than the first account. */
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

  async #measure(): Promise<void> {
    const { clock, log, platform } = this.services
    try {
      if (this.#isClosed) return
      if (platform.growth.isMeasured(clock.now())) return await this.#countAccounts()
      await this.space.measure()
      const space = this.space.latest()
      if (!space || this.#isClosed) return
      const { accounts } = platform.accountStatuses.counts()
      await platform.change('measureGrowth', clock.now(), { ...space, accounts })
    } catch (cause) {
      log.warn('the growth of the service could not be recorded', { cause })
    }
  }
}
