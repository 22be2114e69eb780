/** Ends and removes what nodes have left that are gone: accounts half made or half removed, folders and objects of nobody. */
import type { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import type { Log } from '../../core/log.js'
import type { Accounts } from '../../storage/accounts.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { ShardOwnership } from './shard-ownership.js'

export interface OrphanCleanupOptions {
  readonly accounts: Pick<Accounts, 'completeUnfinished' | 'handover'>
  readonly platform: Pick<PlatformStore, 'onChange'>
  /** Resolves when this node knows all accounts that there were when it was called. Rejects if it cannot be said. */
  catchUp(): Promise<void>
  readonly ownership: Pick<ShardOwnership, 'isOwned'>
  readonly files: Pick<SharedAttachments, 'sweep'>
  readonly log: Pick<Log, 'warn'>
}

/** Times between two looks at accounts, and at objects, in milliseconds. */
const [cleanUpMs, sweepMs] = [60_000, 3_600_000]
/** Time for which objects have to have been there that nobody seems to need, in seconds: longer than any upload takes. */
const minAgeSeconds = 6 * 3600

export class OrphanCleanup {
  /** Whether accounts may have been removed without this node being told of each. */
  #hasMissed = true
  readonly #timers: NodeJS.Timeout[]
  readonly #unlisten: () => void

  constructor(private readonly options: OrphanCleanupOptions) {
    this.#unlisten = options.platform.onChange(command => (this.#hasMissed ||= command === undefined))
    // What could not be ended, or was begun by a call whose outcome nobody knew.
    this.#timers = [
      setInterval(() => void this.cleanUp(), cleanUpMs),
      setInterval(() => void options.files.sweep(minAgeSeconds), sweepMs)
    ]
    void this.cleanUp()
  }

  /** Sees to the accounts that are served here, and to the folders of this node. Never rejects. */
  async cleanUp(): Promise<void> {
    const { accounts, log, ownership } = this.options
    try {
      // What those who served these accounts before have begun is known then.
      await this.options.catchUp()
      await this.#removeUnknown()
      await accounts.completeUnfinished(username => ownership.isOwned(username))
    } catch (cause) {
      log.warn('work left unfinished by other nodes could not be completed yet', { cause })
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
