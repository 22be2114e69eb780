/** Checks the disk and the backups of this machine, whether or not it is part of a cluster. */
import { statfs } from 'node:fs/promises'
import type { Config } from '../core/settings/config.js'
import type { BackupState } from './gauges.js'

/** A problem for the operator, for as long as it lasts. */
export interface HealthAlarm {
  readonly kind: 'backup' | 'disk'
  /** The machine. */
  readonly about: string
  /** The problem, and what to do. */
  readonly text: string
}

/** The free space has to exceed the threshold by this factor to end the alarm, so that it does not flap. */
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

  start(): void {
    void this.checkDisk()
    this.#timer = setInterval(() => void this.checkDisk(), this.config.alarms.everySeconds * 1000).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Lists the problems, as of the last check. */
  list(): HealthAlarm[] {
    const backup = this.#checkBackups()
    return [...(this.#disk ? [this.#disk] : []), ...(backup ? [backup] : [])]
  }

  /** Checks the disk. Never rejects. */
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
          text: `Less than ${freePercent} % of the disk of ${this.#about} is free: at its end nothing more can be stored`
        }
      : undefined
  }

  #checkBackups(): HealthAlarm | undefined {
    // With a separate address for backups, failures are reported there.
    if (!this.backups || this.config.backup.mailTo !== '' || this.backups().failures === 0) return undefined
    return {
      kind: 'backup',
      about: this.#about,
      text: `Backups fail on ${this.#about}: its log and its operator's page say why`
    }
  }
}
