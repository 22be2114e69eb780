/** Readiness of the service, and alarms about this machine, in a cluster or not: its disk space and its backups. */
import { statfs } from 'node:fs/promises'
import type { Config } from '../core/settings/config.js'
import type { BackupState, Readiness } from './service-state.js'

/** An active alarm. */
export interface HealthAlarm {
  readonly kind: 'backup' | 'disk'
  /** The machine that the alarm is about. */
  readonly about: string
  /** What is wrong, and what the operator should do. */
  readonly text: string
}

/** The alarm ends only when free space exceeds the threshold by this factor, so that it does not flap. */
const recoveryFactor = 1.2

export class HealthChecks {
  readonly #about: string
  #disk: HealthAlarm | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly config: Pick<Config, 'alarms' | 'backup' | 'cluster' | 'dataDir'>,
    private readonly backups: (() => BackupState) | undefined
  ) {
    const { node } = config.cluster
    this.#about = node === '' ? 'this machine' : node
  }

  /** Checks the disk now and periodically. */
  start(): void {
    void this.checkDisk()
    this.#timer = setInterval(() => void this.checkDisk(), this.config.alarms.everySeconds * 1000).unref()
  }

  /** Ends the periodic check; the last result stays. */
  stop(): void {
    clearInterval(this.#timer)
  }

  /** Returns the active alarms: that of the disk as of its last check, that of backups as of now. */
  list(): HealthAlarm[] {
    const backup = this.#checkBackups()
    return [...(this.#disk ? [this.#disk] : []), ...(backup ? [backup] : [])]
  }

  /** Checks the free disk space. Never rejects. If it cannot be read, the last result stays. */
  async checkDisk(): Promise<void> {
    const { freePercent } = this.config.alarms
    const disk = await statfs(this.config.dataDir).catch(() => undefined)
    if (!disk || disk.blocks === 0) return
    const free = (disk.bavail / disk.blocks) * 100
    const isLow = free < (this.#disk ? freePercent * recoveryFactor : freePercent)
    this.#disk = isLow
      ? {
          kind: 'disk',
          about: this.#about,
          text: `Less than ${freePercent}% of the disk of ${this.#about} is free. Free up space before writes are refused`
        }
      : undefined
  }

  /** Returns the alarm for failing backups; `undefined` if they succeed, or if failures are mailed to another address. */
  #checkBackups(): HealthAlarm | undefined {
    // With `backup.mailTo`, failures are mailed to that address instead.
    if (!this.backups || this.config.backup.mailTo !== '' || this.backups().failures === 0) return undefined
    return {
      kind: 'backup',
      about: this.#about,
      text: `Backups on ${this.#about} are failing. See its log or Administration for the reason`
    }
  }
}

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
