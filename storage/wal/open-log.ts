/**
 * Keeps the log of an open file from growing: another thread carries it over, at first while writes go on, then the rest
 * while they wait, and begins it again. Nothing of that is synced in the loop.
 * (docs/decisions/0002-closing-files-without-stopping-the-loop.md)
 */
import type { Database } from 'better-sqlite3'
import { carryOverFrom, holdState, logPages, logSize } from '../sqlite/open.js'
import type { WalSync } from './sync.js'
import type { LogOwner, OwnedLog } from './left-log.js'

/** Pages that a log holds before it is carried over: SQLite's own measure, 4 MB. */
const usualPages = 1000
/**
 * Pages from which on SQLite carries a log over within a commit, while everybody waits: when nobody else does, or not as
 * fast as it grows.
 */
const mostPages = 8 * usualPages

/** Has a log carried over, and resolves when that has been tried. */
export type Checkpoint = (log: OwnedLog) => Promise<void>

export class OpenLog implements LogOwner {
  #carry: Checkpoint | undefined
  #isCarried = false
  /** Pages there were when the log had last been carried over: as many, if it could not be begun again. */
  #pagesBefore = 0
  #letGo: (() => void) | undefined
  #isClosed = false

  constructor(
    private readonly db: Database,
    private readonly wal: WalSync,
    private readonly pauseWrites: (work: () => Promise<void>) => Promise<void>
  ) {}

  /** Leaves to somebody else what SQLite does within commits otherwise. */
  carryBy(carry: Checkpoint): void {
    this.#carry = carry
    carryOverFrom(this.db, mostPages)
  }

  /** To be called after each commit. */
  committed(): void {
    if (!this.#carry || this.#isCarried) return
    const pages = logPages(this.db)
    if (pages < this.#pagesBefore) this.#pagesBefore = 0
    if (pages - this.#pagesBefore < usualPages) return
    this.#isCarried = true
    // After a long write it is that long at once.
    if (pages >= mostPages) carryOverFrom(this.db, 0)
    const carry = this.#carry
    this.wal.afterSync(() => void this.#carryBy(carry))
  }

  hold(): void {
    if (!this.#isClosed) this.#letGo = holdState(this.db.name)
  }

  async pause(carryRest: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return
    await this.pauseWrites(async () => {
      this.letGo()
      await carryRest()
    })
  }

  letGo(): void {
    this.#letGo?.()
    this.#letGo = undefined
  }

  /** To be called before the file is closed. */
  close(): void {
    this.#isClosed = true
    this.letGo()
  }

  async #carryBy(carry: Checkpoint): Promise<void> {
    const file = this.db.name
    if (!this.#isClosed) await carry({ file, size: logSize(file), isNamed: this.wal.isNamed, owner: this })
    if (this.#isClosed) return
    this.#isCarried = false
    carryOverFrom(this.db, mostPages)
    this.#pagesBefore = logPages(this.db)
  }
}
