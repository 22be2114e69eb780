/**
 * Restores an account whose file cannot be restored from its log, from the best available copy: the file of a node, a
 * file that was set aside, a snapshot, or the log up to its first damaged record. Only an operator decides that. The
 * copy becomes a snapshot after the last record, with a number that no commit ever had: previous writers are refused,
 * other copies are set aside, and the log continues from there.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../storage/files/layout.js'
import { listFilePaths } from '../storage/wal/closed-file.js'
import type { Position } from '../storage/wal/position.js'
import { RecordMismatch, type CopyPosition } from './file-copy.js'
import type { Engine, Log } from './engine.js'
import { readEntries, createPositionAfter, scanLog, type ScannedEnd, type LogScan } from './scan-log.js'
import { FileThread } from './files/file-thread.js'
import { createSnapshotRecord, storeSnapshot } from './files/store-snapshot.js'
import type { Objects } from './objects.js'
import { parseLsn, snapshotKey, snapshotPrefix } from './objects/snapshot-key.js'
import { encode, type Base } from './records.js'

/** A copy of an account's file, and its last commit. */
export interface FoundCopy extends Position {
  /** `file`, `aside`, `log`, or `snapshot-` with the number of a commit. */
  readonly place: string
  readonly bytes: number
}

export interface RescueOptions {
  readonly log: Pick<Engine, keyof Log>
  readonly objects: Objects
  readonly layout: Layout
  /** Returns the subject of an account's log. */
  readonly getSubject: (account: string) => string
  /** Returns whether this node has the account's file open, or could open it: then the account needs no rescue. */
  readonly isServed: (account: string) => boolean
}

export class Rescue {
  readonly #files = new FileThread()

  constructor(private readonly options: RescueOptions) {}

  /** Ends the thread that reads files. */
  async close(): Promise<void> {
    await this.#files.close()
  }

  /**
   * Returns the end of the log, and the intact copies of a file available to this node, the latest first.
   * Rejects if this node serves the account, and with `EngineUnavailable`. Rejects also if the account has
   * been deleted.
   */
  async inspect(account: string): Promise<{ end: ScannedEnd; copies: FoundCopy[] }> {
    // Reading a file that is open, and closing it again, would drop SQLite's locks on it (POSIX).
    this.#assertNotServing(account)
    const { base, end } = await this.#scan(account)
    const snapshots = (await this.options.objects.list(snapshotPrefix(account))).map(
      key => `snapshot-${parseLsn(key)}`
    )
    const copies: FoundCopy[] = []
    for (const place of ['file', 'aside', 'log', ...snapshots]) {
      const found = await this.#withCopy(
        account,
        place,
        base,
        async draft => await this.#describe(draft, place)
      )
      if (found) copies.push(found)
    }
    return { end, copies: copies.toSorted((a, b) => b.lsn - a.lsn) }
  }

  /**
   * Replaces the file of an account by a copy. Resolves with the copy. Rejects if the copy ends before the
   * log does and `isLossAccepted` is not set, if this node serves the account, or if it has no such copy;
   * with `Conflict` or `EngineUnavailable`. Rejects also if the account has been deleted.
   */
  async restore(account: string, place: string, isLossAccepted: boolean): Promise<FoundCopy> {
    const { log, getSubject } = this.options
    this.#assertNotServing(account)
    const { base, end } = await this.#scan(account)
    const copy = await this.#withCopy(account, place, base, async draft => {
      const found = await this.#describe(draft, place)
      if (!found) return undefined
      if (!isLossAccepted && (end.damaged > 0 || found.lsn < end.lsn))
        throw new Error(
          `The copy ends with commit ${found.lsn}, the log with ${end.lsn}${end.damaged > 0 ? ` or later, since ${end.damaged} of its records cannot be read` : ''}. With --accept-loss, the missing commits are lost`
        )
      if (!isLossAccepted && isUnusedSnapshot(found, end))
        throw new Error(
          'The copy comes from an unfinished attempt and may be incomplete. Use --accept-loss to take it anyway'
        )
      const position = createPositionAfter(end, found)
      await storeSnapshot(account, draft, position, { ...this.options, files: this.#files })
      await log.append(
        getSubject(account),
        end.sequence,
        await encode(createSnapshotRecord(position, end.sequence))
      )
      return found
    })
    if (!copy) throw new Error(`This node has no complete copy "${place}" of the account`)
    return copy
  }

  #assertNotServing(account: string): void {
    if (this.options.isServed(account))
      throw new Error('This node serves the account, so it does not need to be rescued')
  }

  /**
   * Runs work on a copy, as a closed file that is removed afterwards; returns `undefined` if the copy is not available.
   */
  async #withCopy(
    account: string,
    place: string,
    base: Base,
    work: (draft: string) => Promise<FoundCopy | undefined>
  ): Promise<FoundCopy | undefined> {
    const { draftsDirectory } = this.options.layout
    await mkdir(draftsDirectory, { recursive: true, mode: 0o700 })
    const draft = join(draftsDirectory, `rescued-${randomUUID()}`)
    try {
      return (await this.#fetch(account, place, draft, base)) ? await work(draft) : undefined
    } finally {
      for (const path of listFilePaths(draft)) await rm(path, { force: true })
    }
  }

  /** Writes a copy to a path. Resolves with whether it exists. */
  async #fetch(account: string, place: string, draft: string, base: Base): Promise<boolean> {
    const { layout } = this.options
    if (place === 'log') return await this.#applyLog(account, draft, base)
    const [, lsn] = /^snapshot-(\d+)$/.exec(place) ?? []
    if (lsn !== undefined) return await this.#unpack(account, Number(lsn), draft)
    const file =
      place === 'file'
        ? layout.userFile(account)
        : place === 'aside'
          ? join(layout.asideDirectory, account, 'user.sqlite')
          : ''
    const [main, log] = listFilePaths(file) as [string, string]
    if (file === '' || !existsSync(main)) return false
    await copyFile(main, draft)
    if (existsSync(log)) await copyFile(log, listFilePaths(draft)[1]!)
    return true
  }

  /** Writes a snapshot to a file. Resolves with whether it exists and is intact. */
  async #unpack(account: string, lsn: number, draft: string): Promise<boolean> {
    const packed = `${draft}.gz`
    try {
      if (!(await this.options.objects.get(snapshotKey(account, lsn), packed))) return false
      await this.#files.unpack(packed, draft)
      return true
    } catch (error) {
      if (error instanceof RecordMismatch) return false
      throw error
    } finally {
      await rm(packed, { force: true })
    }
  }

  /** Creates a file from the log, up to the first record that does not follow. */
  async #applyLog(account: string, draft: string, base: Base): Promise<boolean> {
    const { log, getSubject } = this.options
    if (base.lsn > 0 && !(await this.#unpack(account, base.lsn, draft))) return false
    const { epoch, lsn, sequence } = base
    await this.#files.begin(draft, { epoch, lsn, sequence })
    let place: CopyPosition = base
    try {
      for await (const entry of readEntries(log, getSubject(account), base.sequence + 1))
        place = await this.#files.apply(draft, [entry])
    } catch (error) {
      if (!(error instanceof RecordMismatch)) throw error
    } finally {
      await this.#files.end(draft)
    }
    return place.lsn > 0
  }

  /** Describes a file; `undefined` if it is damaged, or belongs to no log. */
  async #describe(draft: string, place: string): Promise<FoundCopy | undefined> {
    const position = await this.#files.verify(draft)
    return position && { place, ...position, bytes: (await stat(draft)).size }
  }

  /** Scans the whole log. Rejects if its account has been deleted. */
  async #scan(account: string): Promise<LogScan> {
    const { log, getSubject } = this.options
    const found = await scanLog(log, getSubject(account))
    if (found.isDeleted) throw new Error('The account has been deleted')
    return found
  }
}

/** Returns whether a copy is a snapshot that was created here, for a record that was never appended. */
function isUnusedSnapshot({ epoch, place }: FoundCopy, end: ScannedEnd): boolean {
  return place.startsWith('snapshot-') && end.sequence > 0 && epoch > end.epoch + end.damaged
}
