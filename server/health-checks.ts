/** What an operator has to look after on this machine, whether or not it is part of a cluster: its disk, and its backups. */
import { statfs } from 'node:fs/promises'
import type { Config } from '../core/settings/config.js'
import type { BackupState } from './gauges.js'

/** Something to look after, for as long as it is so. */
export interface HealthAlarm {
  readonly kind: 'backup' | 'disk'
  /** Which machine it is about. */
  readonly about: string
  /** What is wrong, and what to do. */
  readonly text: string
}

/** What is free has to be more by this factor for the alarm to be over: it is not to come and go. */
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

  /** What there is to look after, as of the last look. */
  list(): HealthAlarm[] {
    const backup = this.#checkBackups()
    return [...(this.#disk ? [this.#disk] : []), ...(backup ? [backup] : [])]
  }

  /** Looks at the disk. Never rejects. */
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

  #checkBackups(): HealthAlarm | undefined {
    // Whoever has an address of its own for these is told there.
    if (!this.backups || this.config.backup.mailTo !== '' || this.backups().failures === 0) return undefined
    return {
      kind: 'backup',
      about: this.#about,
      text: `Backups on ${this.#about} are failing. See its log or Administration for the reason`
    }
  }
}
