/**
 * Brings an account's closed file to the end of the account's log, so that it can be opened: a file is a cache of its
 * log. A file has its usual name only while it is complete: a file being restored has another name, and after a crash
 * the file is restored again.
 */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { syncPath } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { readOwner, writeOwner, type Owner } from '../../storage/platform/owner.js'
import { listFilePaths } from '../../storage/wal/closed-file.js'
import type { Position } from '../../storage/wal/position.js'
import { RecordMismatch, type CopyPosition } from '../file-copy.js'
import { setAside } from './set-aside.js'
import { EngineUnavailable, type Engine, type Entry } from '../engine.js'
import type { FileThread } from './file-thread.js'
import type { Objects } from '../objects.js'
import { RecordTooNew, type Base } from '../records.js'
import { snapshotKey } from '../objects/snapshot-key.js'

export interface PlacementOptions {
  readonly layout: Layout
  readonly log: Pick<Engine, 'read'>
  readonly objects: Pick<Objects, 'get'>
  readonly files: FileThread
  /** Returns the owner of the account, for operators who look at the files; `undefined` if unknown. */
  findOwner?(account: string): Owner | undefined
}

/** The end of a log, after a record that prevents other writers. */
export interface LogTarget {
  readonly subject: string
  readonly base: Base
  /** Sequence of the last valid record. */
  readonly sequence: number
  /** The last complete commit. */
  readonly position: Position
}

/** Maximum size of records held in memory, in bytes, unless a single record is larger. */
const maxReadBytes = 16 * 1024 * 1024
/** Number of records requested at once. */
const [minRecords, maxRecords] = [2, 256]
/** Number of attempts to read from a replica that lags behind, and the time in between, in milliseconds. */
const [maxAttempts, retryMs] = [40, 50]

export class Placement {
  constructor(private readonly options: PlacementOptions) {}

  /**
   * Brings a file to the end of its log. Any other file in its place is set aside. Rejects with
   * `EngineUnavailable` while records or snapshot cannot be reached, with `RecordMismatch` if they do not
   * lead to the end of the log, and with `RecordTooNew` if only newer software can read one of the records:
   * the file is kept in the state before that record. Also writes the file that names the account's owner.
   */
  async place(account: string, target: LogTarget): Promise<void> {
    await this.#bringTo(account, target)
    await this.#writeOwner(account)
  }

  /** Brings a file to its target: by the missing records if it lies on the way, otherwise from the snapshot. */
  async #bringTo(account: string, target: LogTarget): Promise<void> {
    const { files, layout } = this.options
    const file = layout.userFile(account)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}-coming`
    // Left by an interrupted attempt.
    for (const path of listFilePaths(draft)) await rm(path, { force: true })
    const found = await files.readPosition(file)
    // Including what an earlier run left in its log: the next capture takes all of that again.
    if (found && isSame(found, target.position)) return
    if (found && isBetween(found, target)) {
      if (await this.#applyMissing(account, found, target, draft))
        return await this.#moveIntoPlace(draft, file)
    } else if (existsSync(file)) await setAside(layout, account)
    await this.#restore(account, target, draft)
    await this.#moveIntoPlace(draft, file)
  }

  /** A restored file is alone in its folder, which has to name its owner. */
  async #writeOwner(account: string): Promise<void> {
    const { layout } = this.options
    const owner = this.options.findOwner?.(account)
    if (owner && !isDeepStrictEqual(readOwner(layout, account), owner))
      await writeOwner(layout, { ...owner, id: account })
  }

  /** Applies the records that a file lacks. Returns `false`, and sets the file aside, if it does not belong to the log. */
  async #applyMissing(account: string, found: Position, target: LogTarget, draft: string): Promise<boolean> {
    const { files, layout } = this.options
    const file = layout.userFile(account)
    try {
      // The records build on the file with its log, which must be merged before they are applied.
      await files.mergeLog(file)
    } catch {
      await setAside(layout, account)
      return false
    }
    await rename(file, draft)
    await syncPath(dirname(file))
    try {
      await this.#apply(draft, { ...found, sequence: target.base.sequence }, target)
      return true
    } catch (error) {
      if (error instanceof RecordTooNew) await this.#moveIntoPlace(draft, file)
      if (!(error instanceof RecordMismatch)) throw error
      await setAside(layout, account, draft)
      return false
    }
  }

  /**
   * Restores a file as a draft, from its last snapshot and the records after it. Rejects with `RecordMismatch` if the
   * snapshot is missing.
   */
  async #restore(account: string, { base, ...target }: LogTarget, draft: string): Promise<void> {
    const { files, objects } = this.options
    if (base.lsn > 0) {
      const packed = `${draft}.gz`
      await rm(packed, { force: true })
      try {
        if (!(await objects.get(snapshotKey(account, base.lsn), packed)))
          throw new RecordMismatch(`there is no snapshot of commit ${base.lsn}`)
        await files.unpack(packed, draft)
      } finally {
        await rm(packed, { force: true })
      }
    }
    await this.#apply(draft, base, { base, ...target })
  }

  /** Applies the records after `from` to a file, and syncs it. */
  async #apply(file: string, from: CopyPosition, target: LogTarget): Promise<void> {
    const { files } = this.options
    const { epoch, lsn, sequence } = from
    await files.begin(file, { epoch, lsn, sequence })
    try {
      let place: CopyPosition = { epoch, lsn, sequence }
      for await (const entries of this.#records(target)) place = await files.apply(file, entries)
      if (!isSame(place, target.position))
        throw new RecordMismatch(`they lead to commit ${place.lsn}, not ${target.position.lsn}`)
      await files.end(file)
    } catch (error) {
      // What was applied before it is valid, and kept.
      await (error instanceof RecordTooNew ? files.end(file) : files.discard(file))
      throw error
    }
  }

  /** Reads the records after the base, as many at a time as fit into the memory limit. */
  async *#records({ base, sequence, subject }: LogTarget): AsyncGenerator<Entry[]> {
    let limit = minRecords
    for (let from = base.sequence + 1; from <= sequence;) {
      const entries = await this.#read(subject, from, limit, sequence)
      yield entries
      from = (entries.at(-1) as Entry).sequence + 1
      const bytes = entries.reduce((sum, entry) => sum + entry.bytes.length, 0)
      limit = Math.max(
        minRecords,
        Math.min(maxRecords, Math.floor((limit * maxReadBytes) / Math.max(bytes, 1)), 4 * limit)
      )
    }
  }

  /** Reads at least one record: the replica that answers may not have the last records yet. */
  async #read(subject: string, from: number, limit: number, until: number): Promise<Entry[]> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const entries = (await this.options.log.read(subject, from, limit)).filter(
        ({ sequence }) => sequence <= until
      )
      if (entries.length > 0) return entries
      await wait(retryMs, undefined, { ref: false })
    }
    throw new EngineUnavailable(`no record of ${subject} from ${from} to ${until}`)
  }

  async #moveIntoPlace(draft: string, file: string): Promise<void> {
    // A log in its place would be mistaken for the file's own.
    for (const path of listFilePaths(file)) await rm(path, { force: true })
    await syncPath(dirname(file))
    await rename(draft, file)
    await syncPath(dirname(file))
  }
}

function isSame(a: Position, b: Position): boolean {
  return a.lsn === b.lsn && a.epoch === b.epoch
}

/** Returns whether a file may be at a position that the records after the base pass. */
function isBetween({ epoch, lsn }: Position, { base, position }: LogTarget): boolean {
  if (lsn === base.lsn) return epoch === base.epoch
  return lsn > base.lsn && lsn < position.lsn
}
