/**
 * Snapshots of the platform file, for nodes that the log does not reach back to. A register names the current snapshot;
 * records that it includes are removed from the log.
 */
import { randomBytes } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncPathNow } from '../../storage/files/durable.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import { listFilePaths, readFilePosition } from '../../storage/wal/closed-file.js'
import type { Position } from '../../storage/wal/position.js'
import { Conflict, type Engine, type RegisterValue } from '../engine.js'
import type { Objects } from '../objects.js'
import { platformSubject } from './record.js'

const registerKey = 'platform.snapshot'
/** The prefix of the keys of all snapshots. */
export const platformPrefix = 'platform/'

/** A snapshot. */
export interface Snapshot {
  /** Sequence of the last record that it includes; 0 if the log begins with it. */
  readonly sequence: number
  readonly history: number
}

export interface SnapshotOptions {
  readonly engine: Pick<Engine, 'register' | 'trim'>
  readonly objects: Objects
  /** Folder of copies while they are created or fetched: on the disk of the platform file. */
  readonly draftsDirectory: string
}

export class PlatformSnapshots {
  constructor(private readonly options: SnapshotOptions) {}

  /** Returns the current snapshot; `undefined` if there never was a snapshot. Rejects with `EngineUnavailable`. */
  async getCurrent(): Promise<Snapshot | undefined> {
    const known = await this.#register()
    return known && parseSnapshot(known)
  }

  /**
   * Creates a snapshot of a file that follows the log, and makes it the current snapshot unless there is a
   * later one. Rejects with `EngineUnavailable`. Records and snapshots before it are removed. Returns the
   * current snapshot.
   */
  async create(platform: PlatformStore): Promise<Snapshot> {
    const draft = this.#draft()
    try {
      await platform.copyTo(draft)
      return await this.#publish(draft)
    } finally {
      await removeDraft(draft)
    }
  }

  /**
   * Replaces a platform file by a snapshot. Resolves with `false` if the snapshot has been replaced by a later one
   * in the meantime. Rejects with `EngineUnavailable`, and with an error if its content does not match the register.
   */
  async restore(platform: PlatformStore, { history, sequence }: Snapshot): Promise<boolean> {
    const draft = this.#draft()
    try {
      if (!(await this.options.objects.get(platformPrefix + sequence, draft))) return false
      if (!isAtSnapshot(readFilePosition(draft), { history, sequence }))
        throw new Error(`The snapshot ${platformPrefix}${sequence} of the platform is damaged`)
      platform.replaceFile(file => {
        const [, ...others] = listFilePaths(file)
        for (const path of others) rmSync(path, { force: true })
        renameSync(draft, file)
        syncPathNow(dirname(file))
      })
      return true
    } finally {
      await removeDraft(draft)
    }
  }

  /**
   * Stores a snapshot and names it in the register. Returns the current snapshot, which may be a later one of another
   * node.
   */
  async #publish(draft: string): Promise<Snapshot> {
    const { engine, objects } = this.options
    const position = readFilePosition(draft)
    if (!position) throw new Error('The platform file follows no log')
    const snapshot = { sequence: position.lsn, history: position.epoch }
    for (;;) {
      const known = await this.#register()
      const current = known && parseSnapshot(known)
      if (current?.history === snapshot.history && current.sequence >= snapshot.sequence) return current
      await objects.put(platformPrefix + snapshot.sequence, draft)
      try {
        await engine.register.cas(registerKey, known?.revision ?? 0, Buffer.from(JSON.stringify(snapshot)))
        break
      } catch (error) {
        // Another node may have created a later one.
        if (!(error instanceof Conflict)) throw error
      }
    }
    await engine.trim(platformSubject, snapshot.sequence + 1)
    for (const key of await objects.list(platformPrefix))
      if (Number(key.slice(platformPrefix.length)) < snapshot.sequence) await objects.remove(key)
    return snapshot
  }

  async #register(): Promise<RegisterValue | undefined> {
    return await this.options.engine.register.get(registerKey)
  }

  #draft(): string {
    return join(this.options.draftsDirectory, `platform-${randomBytes(8).toString('hex')}.draft`)
  }
}

function isAtSnapshot(position: Position | undefined, { history, sequence }: Snapshot): boolean {
  return position?.lsn === sequence && position.epoch === history
}

function parseSnapshot({ bytes }: RegisterValue): Snapshot {
  return JSON.parse(Buffer.from(bytes).toString()) as Snapshot
}

async function removeDraft(draft: string): Promise<void> {
  for (const path of listFilePaths(draft)) await rm(path, { force: true })
}
