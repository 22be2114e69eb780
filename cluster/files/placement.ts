/**
 * Brings an account's file, which is closed, to where the account's log ends, so that it can be opened: a file is a cache of
 * its log. It is there under its name only while it is whole: what is being made of records has another name, and what a
 * crash leaves of that is made again from the snapshot.
 */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { syncPath } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { readOwner, writeOwner, type Owner } from '../../storage/platform/owner.js'
import { pathsOf } from '../../storage/wal/closed-file.js'
import type { Position } from '../../storage/wal/position.js'
import { RecordMismatch, type CopyPlace } from '../apply.js'
import { setAside } from './aside.js'
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
  /** Whose account it is, for those who look at the files; `undefined` if nobody knows any more. */
  ownerOf?(account: string): Owner | undefined
}

/** Where a log ends, behind a record that nobody else can write behind. */
export interface Goal {
  readonly subject: string
  readonly base: Base
  /** Sequence of the last record that counts. */
  readonly sequence: number
  /** The last complete commit. */
  readonly position: Position
}

/** Bytes of records to be held in memory at a time, unless a single one has more. */
const readBytes = 16 * 1024 * 1024
/** Records asked for at once. */
const [fewest, most] = [2, 256]
/** Times that a replica that is behind is asked again, and the time in between, in milliseconds. */
const [maxAsked, askAgainMs] = [40, 50]

export class Placement {
  constructor(private readonly options: PlacementOptions) {}

  /**
   * Brings a file to where its log ends. Whatever else was in its place is set aside. Rejects with `EngineUnavailable` while
   * records or snapshot cannot be reached, with `RecordMismatch` if they do not lead there, and with `RecordTooNew` where only
   * newer software can read one: a file that the records before it lead to stays in its place.
   */
  async place(account: string, goal: Goal): Promise<void> {
    await this.#bring(account, goal)
    await this.#nameOwner(account)
  }

  async #bring(account: string, goal: Goal): Promise<void> {
    const { files, layout } = this.options
    const file = layout.userFile(account)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const coming = `${file}-coming`
    // Left by an attempt that broke off.
    for (const path of pathsOf(coming)) await rm(path, { force: true })
    const found = await files.look(file)
    // With what an earlier run left in the log beside it: the next capture takes all of that once more.
    if (found && isSame(found, goal.position)) return
    if (found && isBetween(found, goal)) {
      if (await this.#follow(account, found, goal, coming)) return await this.#putInPlace(coming, file)
    } else if (existsSync(file)) await setAside(layout, account)
    await this.#restore(account, goal, coming)
    await this.#putInPlace(coming, file)
  }

  /** A file that was made of its log stands alone in its folder, which has to say whose it is. */
  async #nameOwner(account: string): Promise<void> {
    const { layout } = this.options
    const owner = this.options.ownerOf?.(account)
    if (owner && !isDeepStrictEqual(readOwner(layout, account), owner))
      await writeOwner(layout, { ...owner, id: account })
  }

  /** Applies to a file what it lacks. Sets it aside if it does not belong to the log; whether it did. */
  async #follow(account: string, found: Position, goal: Goal, coming: string): Promise<boolean> {
    const { files, layout } = this.options
    const file = layout.userFile(account)
    try {
      // The records build on the file with its log, which must not be there once they are applied.
      await files.fold(file)
    } catch {
      await setAside(layout, account)
      return false
    }
    await rename(file, coming)
    await syncPath(dirname(file))
    try {
      await this.#apply(coming, { ...found, sequence: goal.base.sequence }, goal)
      return true
    } catch (error) {
      if (error instanceof RecordTooNew) await this.#putInPlace(coming, file)
      if (!(error instanceof RecordMismatch)) throw error
      await setAside(layout, account, coming)
      return false
    }
  }

  async #restore(account: string, { base, ...goal }: Goal, coming: string): Promise<void> {
    const { files, objects } = this.options
    if (base.lsn > 0) {
      const packed = `${coming}.gz`
      await rm(packed, { force: true })
      try {
        if (!(await objects.get(snapshotKey(account, base.lsn), packed)))
          throw new RecordMismatch(`there is no snapshot of commit ${base.lsn}`)
        await files.unpack(packed, coming)
      } finally {
        await rm(packed, { force: true })
      }
    }
    await this.#apply(coming, base, { base, ...goal })
  }

  /** Applies the records behind `from` to a file, and syncs it. */
  async #apply(file: string, from: CopyPlace, goal: Goal): Promise<void> {
    const { files } = this.options
    const { epoch, lsn, sequence } = from
    await files.begin(file, { epoch, lsn, sequence })
    try {
      let place: CopyPlace = { epoch, lsn, sequence }
      for await (const entries of this.#records(goal)) place = await files.apply(file, entries)
      if (!isSame(place, goal.position))
        throw new RecordMismatch(`they lead to commit ${place.lsn}, not ${goal.position.lsn}`)
      await files.end(file)
    } catch (error) {
      // What was applied before it is whole, and kept.
      await (error instanceof RecordTooNew ? files.end(file) : files.abandon(file))
      throw error
    }
  }

  /** The records behind the base, as many at a time as fit into the memory meant for them. */
  async *#records({ base, sequence, subject }: Goal): AsyncGenerator<Entry[]> {
    let limit = fewest
    for (let from = base.sequence + 1; from <= sequence;) {
      const entries = await this.#read(subject, from, limit, sequence)
      yield entries
      from = (entries.at(-1) as Entry).sequence + 1
      const bytes = entries.reduce((sum, entry) => sum + entry.bytes.length, 0)
      limit = Math.max(
        fewest,
        Math.min(most, Math.floor((limit * readBytes) / Math.max(bytes, 1)), 4 * limit)
      )
    }
  }

  /** At least one record: whoever answers may not have the last ones yet. */
  async #read(subject: string, from: number, limit: number, until: number): Promise<Entry[]> {
    for (let asked = 0; asked < maxAsked; asked++) {
      const entries = (await this.options.log.read(subject, from, limit)).filter(
        ({ sequence }) => sequence <= until
      )
      if (entries.length > 0) return entries
      await wait(askAgainMs, undefined, { ref: false })
    }
    throw new EngineUnavailable(`no record of ${subject} from ${from} to ${until}`)
  }

  async #putInPlace(coming: string, file: string): Promise<void> {
    // A log in its place would be taken for that of the file.
    for (const path of pathsOf(file)) await rm(path, { force: true })
    await syncPath(dirname(file))
    await rename(coming, file)
    await syncPath(dirname(file))
  }
}

function isSame(one: Position, other: Position): boolean {
  return one.lsn === other.lsn && one.epoch === other.epoch
}

/** Whether a file may be where the records behind the base lead through. */
function isBetween({ epoch, lsn }: Position, { base, position }: Goal): boolean {
  if (lsn === base.lsn) return epoch === base.epoch
  return lsn > base.lsn && lsn < position.lsn
}
