/** Completes or removes what lost nodes have left: accounts partly created or deleted, and folders and objects without an owner. */
import type { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import type { Log } from '../../core/log.js'
import type { Accounts } from '../../storage/accounts.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { ShardOwnership } from './shard-ownership.js'

interface OrphanCleanupOptions {
  readonly accounts: Pick<Accounts, 'completeUnfinished' | 'handover'>
  readonly platform: Pick<PlatformStore, 'onChange'>
  /**
   * Resolves when this node knows all accounts that existed at the time of the call. Rejects if it cannot find that
   * out.
   */
  catchUp(): Promise<void>
  readonly ownership: Pick<ShardOwnership, 'isOwned'>
  readonly files: Pick<SharedAttachments, 'sweep'>
  readonly log: Pick<Log, 'warn'>
}

/** Time between checks of accounts, and of objects, in milliseconds. */
const [cleanUpMs, sweepMs] = [60_000, 3_600_000]
/** Age from which unreferenced objects are removed, in seconds: longer than any upload takes. */
const minAgeSeconds = 6 * 3600

export class OrphanCleanup {
  /** True if accounts may have been deleted without this node being notified of each deletion. */
  #hasMissed = true
  readonly #timers: NodeJS.Timeout[]
  readonly #unlisten: () => void

  constructor(private readonly options: OrphanCleanupOptions) {
    this.#unlisten = options.platform.onChange(command => (this.#hasMissed ||= command === undefined))
    // Repeated for work that failed, or that was begun by a call whose outcome was unknown.
    this.#timers = [
      setInterval(() => void this.cleanUp(), cleanUpMs),
      setInterval(() => void options.files.sweep(minAgeSeconds), sweepMs)
    ]
    void this.cleanUp()
  }

  /** Completes unfinished accounts that are served here, and removes unknown folders of this node. Never rejects. */
  async cleanUp(): Promise<void> {
    const { accounts, log, ownership } = this.options
    try {
      // Learns what the nodes that served these accounts before have begun.
      await this.options.catchUp()
      await this.#removeUnknown()
      await accounts.completeUnfinished(username => ownership.isOwned(username))
    } catch (cause) {
      log.warn('work left unfinished by other nodes could not be completed yet', { cause })
    }
  }

  /** Ends the periodic cleanup. */
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
