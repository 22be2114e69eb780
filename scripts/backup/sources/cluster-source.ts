/**
 * Takes a backup from the data that the nodes of a cluster share, while they keep running: the platform file from its
 * snapshot and log, each account's file from the account's snapshot and log, attachments from the objects. No node is
 * involved.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { connectEngine } from '../../../cluster/connect.js'
import { EngineUnavailable, type Engine } from '../../../cluster/engine.js'
import { RecordMismatch } from '../../../cluster/file-copy.js'
import { FileThread } from '../../../cluster/files/file-thread.js'
import { Placement } from '../../../cluster/files/placement.js'
import { logSubject, shardCount } from '../../../cluster/nodes/shard-placement.js'
import type { Objects } from '../../../cluster/objects.js'
import { attachmentKey } from '../../../cluster/objects/attachment-key.js'
import { openObjects } from '../../../cluster/objects/open.js'
import { PlatformLog } from '../../../cluster/platform/log.js'
import { platformSubject } from '../../../cluster/platform/record.js'
import { decode, type LogRecord } from '../../../cluster/records.js'
import { createFixedShards } from '../../../core/call/shard.js'
import type { Settings } from '../../../core/settings/settings.js'
import type { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import { removePosition } from '../../../storage/wal/closed-file.js'
import { BackupError, EngineLost } from '../backup-error.js'
import { withRetries } from './retries.js'
import type { BackupSource } from './source.js'

/** Maximum number of retries for an account whose log is truncated, or whose snapshot is replaced, while it is read. */
const maxRetries = 5
/** Timeout for opening the platform log, in milliseconds. */
const timeoutMs = 60_000

/** Runs `work` with the cluster in the settings. Rejects with `EngineUnavailable` if no engine server responds. */
export async function withClusterSource<T>(
  { cluster }: Settings,
  work: (source: BackupSource) => Promise<T>
): Promise<T> {
  const engine = await connectEngine({ ...cluster, node: `${cluster.node}-backup` })
  const files = new FileThread()
  try {
    return await work(new ClusterSource(engine, openObjects(cluster.objects, engine), files))
  } finally {
    await files.close()
    await engine.close()
  }
}

export class ClusterSource implements BackupSource {
  /** The first names of accounts that have changed their names, by the current ones. */
  readonly #firstNames = new Map<string, string>()
  readonly #shards = createFixedShards(shardCount, name => this.#firstNames.get(name) ?? name)
  /** Distinguishes this cluster from others, and from an earlier cluster that this one replaced. */
  #epoch = 0

  constructor(
    private readonly engine: Engine,
    private readonly objects: Objects,
    private readonly files: FileThread
  ) {}

  /** Restores the platform file from its snapshot and log, and notes under which names accounts are placed. */
  async copyPlatform(draft: Layout): Promise<void> {
    const { engine, objects } = this
    await mkdir(draft.draftsDirectory, { recursive: true, mode: 0o700 })
    const platform = new PlatformStore(draft)
    try {
      const { draftsDirectory } = draft
      const options = { engine, objects, draftsDirectory, timeoutMs, onError: () => {} }
      const log = await withRetries(() => PlatformLog.open(platform, options))
      await log.close()
      this.#epoch = platform.position()!.epoch
      for (const { username } of platform.usernames.listRenamed())
        this.#firstNames.set(username, platform.usernames.getShardName(username))
    } finally {
      platform.close()
    }
    removePosition(draft.platformFile)
  }

  /** Takes the position of the last record of the log as the mark; `undefined` if the account has no log. */
  async getChangeMark(account: Account): Promise<string | undefined> {
    const last = await this.#readLastRecord(account)
    if (!last) return undefined
    const { epoch, lsn } = last.record.position
    // Four numbers: change marks of files have three or six.
    return `0-${this.#epoch}-${epoch}-${lsn}`
  }

  async copyAccount(account: Account, draft: Layout): Promise<void> {
    for (let left = maxRetries; ; left--) {
      const last = await this.#readLastRecord(account)
      if (!last || last.record.kind === 'deleted' || last.record.position.lsn === 0)
        throw new BackupError('The cluster has no log of the account')
      const { base, position } = last.record
      try {
        const goal = { base, position, sequence: last.sequence }
        await withRetries(() => this.#restoreFile(account, draft, goal))
        return removePosition(draft.userFile(account.id))
      } catch (error) {
        if (!(error instanceof RecordMismatch) || left === 0) throw error
      }
    }
  }

  async withAttachment<T>(
    account: Account,
    id: string,
    draft: Layout,
    use: (path: string) => Promise<T>
  ): Promise<T | undefined> {
    const path = join(draft.draftsDirectory, `attachment-${randomUUID()}`)
    try {
      return (await this.#fetchObject(attachmentKey(account.id, id), path)) ? await use(path) : undefined
    } finally {
      await rm(path, { force: true })
    }
  }

  async isDeleted(account: Account): Promise<boolean> {
    const last = await this.#ask(() => this.engine.last(this.#getSubject(account)))
    try {
      return last !== undefined && decode(last.bytes).kind === 'deleted'
    } catch {
      // A record that cannot be read is not a deletion.
      return false
    }
  }

  async #restoreFile(
    { id, username }: Account,
    draft: Layout,
    goal: Pick<LogRecord, 'base' | 'position'> & { sequence: number }
  ): Promise<void> {
    const { engine, files, objects } = this
    await rm(dirname(draft.userFile(id)), { recursive: true, force: true })
    const placement = new Placement({ files, layout: draft, log: engine, objects })
    await placement.place(id, { ...goal, subject: this.#getSubject({ id, username }) })
  }

  async #readLastRecord(account: Account): Promise<{ record: LogRecord; sequence: number } | undefined> {
    const last = await this.#ask(() => this.engine.last(this.#getSubject(account)))
    return last && { record: decode(last.bytes), sequence: last.sequence }
  }

  #getSubject({ id, username }: Pick<Account, 'id' | 'username'>): string {
    return logSubject(this.#shards.indexOf(username), id)
  }

  /** Fetches an object. Resolves with false if the object does not exist. */
  async #fetchObject(key: string, path: string): Promise<boolean> {
    try {
      return await this.objects.get(key, path)
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      // Distinguish a damaged object, which affects its account alone, from an unavailable engine.
      await this.#ask(() => this.engine.last(platformSubject))
      throw new BackupError(`Can't fetch the object ${key}`)
    }
  }

  /** Sends a request to the engine, with retries. Rejects with `EngineLost` if it never answers. */
  async #ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await withRetries(request)
    } catch (error) {
      throw error instanceof EngineUnavailable ? new EngineLost(error) : error
    }
  }
}
