/**
 * Keeps the logs of accounts short: a snapshot of the file replaces the records before it. Restoring the file begins
 * with the snapshot that the last record names. While objects cannot be stored the log grows, and snapshots are
 * retried.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../storage/files/layout.js'
import { Conflict, EngineUnavailable, type Log } from './engine.js'
import type { FileThread } from './files/file-thread.js'
import type { Objects } from './objects.js'
import type { Outbox } from './outbox.js'
import { decode } from './records.js'
import type { Tally } from './tally.js'
import { parseLsn, snapshotKey, snapshotPrefix } from './objects/snapshot-key.js'

export interface SnapshotsOptions {
  readonly layout: Layout
  readonly log: Pick<Log, 'last' | 'trim'>
  readonly objects: Objects
  readonly files: FileThread
  /**
   * Size of the records, in bytes, above which a snapshot replaces them; or a quarter of the file's size if that is more.
   */
  readonly snapshotBytes: number
  /** Time after a failure within which no snapshot is made, in milliseconds; half a minute by default. */
  readonly snapshotRetryMs?: number
  /** The subject of an account's log. */
  getSubject(account: string): string
  readonly tally?: Tally
  /** Called when a snapshot failed for another reason than an unavailable engine. */
  onError(account: string, error: Error): void
}

/** Records with fewer bytes are kept even if their account is idle. */
const minIdleBytes = 64 * 1024
/** Time without a commit after which an account is idle, in milliseconds. */
const idleMs = 10 * 60_000
/** Time after a failure within which no snapshot is made, in milliseconds. */
const defaultRetryMs = 30_000
/** Interval of looking for idle accounts, in milliseconds. */
const sweepMs = 60_000

export class Snapshots {
  /** Accounts waiting for a snapshot, in order. */
  readonly #due = new Map<string, Outbox>()
  readonly #timer: NodeJS.Timeout
  #working: Promise<void> | undefined
  #pausedUntilMs = 0
  #isClosed = false

  /** `listOwned`: returns the accounts that this process writes. */
  constructor(
    private readonly options: SnapshotsOptions,
    private readonly listOwned: () => Iterable<readonly [account: string, outbox: Outbox]>
  ) {
    this.#timer = setInterval(() => this.#enqueueIdle(), sweepMs)
    this.#timer.unref()
  }

  /**
   * Must be called when a record has been appended. A snapshot is made in the background if the log has
   * become long.
   */
  onGrown(account: string, outbox: Outbox): void {
    const { snapshotBytes } = this.options
    if (outbox.logBytes > Math.max(snapshotBytes, outbox.fileBytes / 4)) this.#enqueue(account, outbox)
  }

  /** Starts no more snapshots; resolves when the last snapshot is complete. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#due.clear()
    await this.#working
  }

  #enqueueIdle(): void {
    const sinceMs = performance.now() - idleMs
    for (const [account, outbox] of this.listOwned())
      if (outbox.logBytes > minIdleBytes && outbox.grewAtMs < sinceMs) this.#enqueue(account, outbox)
  }

  #enqueue(account: string, outbox: Outbox): void {
    if (this.#isClosed || performance.now() < this.#pausedUntilMs) return
    this.#due.set(account, outbox)
    this.#working ??= this.#createDue().finally(() => (this.#working = undefined))
  }

  /** Creates one snapshot at a time: each reads and compresses a whole file. */
  async #createDue(): Promise<void> {
    for (const [account, outbox] of this.#due) {
      this.#due.delete(account)
      try {
        await this.#create(account, outbox)
      } catch (error) {
        // The account's file may have been closed and replaced in the meantime.
        if (this.#isClosed || outbox.isStopped || error instanceof Conflict) continue
        if (this.options.tally) this.options.tally.snapshotFailures++
        this.#pausedUntilMs = performance.now() + (this.options.snapshotRetryMs ?? defaultRetryMs)
        if (!(error instanceof EngineUnavailable)) this.options.onError(account, error as Error)
        this.#due.clear()
      }
    }
  }

  /**
   * Stores a snapshot of an account's file, and removes the records and snapshots that it replaces. Does nothing if
   * the file was opened again meanwhile.
   */
  async #create(account: string, outbox: Outbox): Promise<void> {
    const { files, layout, log, objects, tally } = this.options
    // Everything that is in the log now is in the file that is read from here on.
    const { bytes, sequence } = outbox.safeMark
    const { openings } = outbox
    const subject = this.options.getSubject(account)
    const packed = join(layout.draftsDirectory, `snapshot-${randomUUID()}`)
    await mkdir(layout.draftsDirectory, { recursive: true, mode: 0o700 })
    try {
      const { position } = await files.pack(layout.userFile(account), packed)
      // Changes made on opening the file are numbered a moment later.
      if (!position || outbox.isStopped || outbox.openings !== openings) return
      // A commit that is not in the log yet may never get there: another one would have its number.
      await outbox.waitUntilConfirmed()
      if (outbox.isStopped) return
      const key = snapshotKey(account, position.lsn)
      await objects.put(key, packed)
      try {
        await outbox.rebase({ ...position, sequence, bytes })
      } catch (error) {
        // The account may have been deleted, with its snapshots, before this one was stored.
        const last = await log.last(subject)
        if (last && decode(last.bytes).kind === 'deleted') await objects.remove(key)
        throw error
      }
      if (tally) {
        tally.snapshots++
        tally.lastSnapshot = Date.now() / 1000
      }
      await log.trim(subject, sequence + 1)
      for (const older of await objects.list(snapshotPrefix(account)))
        if (parseLsn(older) < position.lsn) await objects.remove(older)
    } finally {
      await rm(packed, { force: true })
    }
  }
}
