/** Cleans up after nodes that are gone: incomplete creations and removals of accounts, and folders and objects without an owner. */
import type { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import type { Log } from '../../core/log.js'
import type { Accounts } from '../../storage/accounts.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { ShardOwnership } from './shard-ownership.js'

export interface OrphanCleanupOptions {
  readonly accounts: Pick<Accounts, 'completeUnfinished' | 'handover'>
  readonly platform: Pick<PlatformStore, 'onChange'>
  /** Resolves when this node knows all accounts that existed at the time of the call. Rejects if that is uncertain. */
  catchUp(): Promise<void>
  readonly ownership: Pick<ShardOwnership, 'isOwned'>
  readonly files: Pick<SharedAttachments, 'sweep'>
  readonly log: Pick<Log, 'warn'>
}

/** Intervals of cleaning up accounts, and objects, in milliseconds. */
const [cleanUpMs, sweepMs] = [60_000, 3_600_000]
/** Minimum age of unused objects to be removed, in seconds: longer than any upload takes. */
const minAgeSeconds = 6 * 3600

export class OrphanCleanup {
  /** True if this node may have missed removals of accounts. */
  #hasMissed = true
  readonly #timers: NodeJS.Timeout[]
  readonly #unlisten: () => void

  constructor(private readonly options: OrphanCleanupOptions) {
    this.#unlisten = options.platform.onChange(command => (this.#hasMissed ||= command === undefined))
    // For what could not be completed, or was begun by a call with an unknown outcome.
    this.#timers = [
      setInterval(() => void this.cleanUp(), cleanUpMs),
      setInterval(() => void options.files.sweep(minAgeSeconds), sweepMs)
    ]
    void this.cleanUp()
  }

  /** Cleans up the accounts that are served here, and the folders of this node. Never rejects. */
  async cleanUp(): Promise<void> {
    const { accounts, log, ownership } = this.options
    try {
      // After that, everything is known that the former owners of these accounts have begun.
      await this.options.catchUp()
      await this.#removeUnknown()
      await accounts.completeUnfinished(username => ownership.isOwned(username))
    } catch (cause) {
      log.warn('what other nodes left unfinished could not be ended yet', { cause })
    }
  }

  close(): void {
    this.#unlisten()
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #removeUnknown(): Promise<void> {
    if (!this.#hasMissed) return
    this.#hasMissed = false
    try {
      await this.options.accounts.handover.removeUnknown()
    } catch (error) {
      this.#hasMissed = true
      throw error
    }
  }
}
