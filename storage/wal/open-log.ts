/**
 * Keeps the log of an open file from growing. Another thread checkpoints most of it while writes continue, then the rest
 * while they wait, and restarts the log. None of that syncs in the event loop.
 * (docs/decisions/0002-closing-files-without-stopping-the-loop.md)
 */
import type { Database } from 'better-sqlite3'
import { setAutoCheckpoint, holdState, logPages, logSize } from '../sqlite/open.js'
import type { Durability } from './durability.js'
import type { LogOwner, OwnedLog } from './closed-file.js'

/** Size in pages at which a log is checkpointed: SQLite's own default, 4 MB. */
const usualPages = 1000
/**
 * Size in pages at which SQLite checkpoints within a commit, blocking the event loop: the fallback if the thread fails or
 * the log grows faster.
 */
const maxPages = 8 * usualPages

/** Checkpoints a log. Resolves whether or not that succeeds. */
export type Checkpoint = (log: OwnedLog) => Promise<void>

export class OpenLog implements LogOwner {
  #checkpoint: Checkpoint | undefined
  #isCheckpointing = false
  /** Pages in the log after its last checkpoint; 0 if it was restarted. */
  #checkpointedPages = 0
  #releaseState: (() => void) | undefined
  #isClosed = false

  constructor(
    private readonly db: Database,
    private readonly durability: Durability,
    private readonly pauseWrites: (work: () => Promise<void>) => Promise<void>
  ) {}

  /** Delegates checkpoints to `checkpoint` instead of letting SQLite run them within commits. */
  delegateCheckpoints(checkpoint: Checkpoint): void {
    this.#checkpoint = checkpoint
    setAutoCheckpoint(this.db, maxPages)
  }

  /**
   * Must be called after each commit: starts a checkpoint, after the next sync, once the log has grown by
   * 1000 pages.
   */
  committed(): void {
    if (!this.#checkpoint || this.#isCheckpointing) return
    const pages = logPages(this.db)
    if (pages < this.#checkpointedPages) this.#checkpointedPages = 0
    if (pages - this.#checkpointedPages < usualPages) return
    this.#isCheckpointing = true
    // A long write can exceed the fallback at once: do not let it block the next commit.
    if (pages >= maxPages) setAutoCheckpoint(this.db, 0)
    const checkpoint = this.#checkpoint
    this.durability.afterSync(() => void this.#runCheckpoint(checkpoint))
  }

  /** Keeps the log from being restarted until {@link allowRestart} is called. */
  preventRestart(): void {
    if (!this.#isClosed) this.#releaseState = holdState(this.db.name)
  }

  /** Pauses writes until the log can be restarted and `checkpointRest` has run. Does nothing once closed. */
  async pause(checkpointRest: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return
    await this.pauseWrites(async () => {
      await this.durability.waitUntilRestartable()
      this.allowRestart()
      await checkpointRest()
    })
  }

  /** Ends the effect of {@link preventRestart}. */
  allowRestart(): void {
    this.#releaseState?.()
    this.#releaseState = undefined
  }

  /** Must be called before the file is closed. */
  close(): void {
    this.#isClosed = true
    this.allowRestart()
  }

  /**
   * Checkpoints the log, and lets the next checkpoint start once it has grown again. Does nothing once the file is closed.
   */
  async #runCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const file = this.db.name
    if (!this.#isClosed)
      await checkpoint({ file, size: logSize(file), isNamed: this.durability.isNamed, owner: this })
    if (this.#isClosed) return
    this.#isCheckpointing = false
    setAutoCheckpoint(this.db, maxPages)
    this.#checkpointedPages = logPages(this.db)
  }
}
