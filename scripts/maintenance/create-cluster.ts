/** Turns a single service into a cluster: the data directory of a stopped service becomes the initial state of all nodes. */
import { mkdir } from 'node:fs/promises'
import type { Engine } from '../../cluster/engine.js'
import { logSubject, shardCount } from '../../cluster/nodes/shard-placement.js'
import type { Objects } from '../../cluster/objects.js'
import { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import { beginPlatform } from '../../cluster/platform/begin-platform.js'
import { platformSubject } from '../../cluster/platform/record.js'
import { platformPrefix } from '../../cluster/platform/snapshots.js'
import { ShippedLogs } from '../../cluster/shipped-log.js'
import { createFixedShards } from '../../core/call/shard.js'
import { silentLog } from '../../core/log.js'
import { toConfig, type Config } from '../../core/settings/config.js'
import type { Settings } from '../../core/settings/settings.js'
import { version } from '../../core/version.js'
import { accountsOptions } from '../../server/open-storage.js'
import { DiskAttachments } from '../../storage/files/attachments.js'
import { Accounts } from '../../storage/accounts.js'
import { Layout } from '../../storage/files/layout.js'
import type { Account } from '../../storage/platform/account.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { lockDirectory } from '../../storage/sqlite/lock.js'
import { formatCount } from '../terminal/output.js'
import { OperatorError } from '../terminal/request-service.js'

/** Timeout for an account, whose first record contains its whole file. */
const timeoutMs = 60_000
/** Number of accounts read from the platform file at a time. */
const pageSize = 100

/**
 * Starts the logs of the platform and of all accounts with the content of a data directory, and stores its attachments
 * where all nodes can read them. Does nothing if the cluster has a platform log already. Resumes an interrupted earlier
 * call. Returns the number of accounts. Rejects with `OperatorError` if another cluster uses the object storage, and
 * with `DirectoryLocked`, `PlatformRefused`, `StoreUnavailable` and `EngineUnavailable`.
 */
export async function createCluster(settings: Settings, engine: Engine, objects: Objects): Promise<number> {
  if (await engine.last(platformSubject)) return 0
  const layout = new Layout(settings.dataDir)
  const release = lockDirectory(layout.lockFile)
  try {
    const platform = new PlatformStore(layout)
    try {
      // Two clusters would remove and overwrite each other's objects.
      if (!platform.position() && (await objects.list(platformPrefix)).length > 0)
        throw new OperatorError(
          'cluster.objects is used by another cluster. Choose an empty bucket or prefix'
        )
      await mkdir(layout.draftsDirectory, { recursive: true, mode: 0o700 })
      const config = toConfig(settings, version)
      await completeInterrupted(config, layout, platform)
      let accounts = 0
      await beginPlatform(
        platform,
        { engine, objects, draftsDirectory: layout.draftsDirectory },
        async () => {
          accounts = await startAccountLogs(config, { engine, layout, objects, platform })
        }
      )
      return accounts
    } finally {
      platform.close()
    }
  } finally {
    release()
  }
}

/** Completes interrupted changes, as the next start of the service would, while the folder is still its own. */
async function completeInterrupted(config: Config, layout: Layout, platform: PlatformStore): Promise<void> {
  await new Accounts(
    layout,
    platform,
    accountsOptions(config, silentLog, { attachments: new DiskAttachments(layout) })
  ).close()
}

/**
 * Starts the log of each account with the content of its file, and uploads its attachments. Returns the number of
 * accounts. Logs that fail do not stop the others: rejects at the end with an `OperatorError` that gives their number.
 */
async function startAccountLogs(
  config: Config,
  shared: { engine: Engine; layout: Layout; objects: Objects; platform: PlatformStore }
): Promise<number> {
  const { engine, layout, objects, platform } = shared
  const shards = createFixedShards(shardCount, name => platform.usernames.getShardName(name))
  const problems: string[] = []
  const addProblem = (id: string, error: unknown): void =>
    void problems.push(`${id}: ${(error as Error).message}`)
  const logs = new ShippedLogs({
    log: engine,
    objects,
    layout,
    snapshotBytes: config.cluster.snapshotBytes,
    getSubject: id => logSubject(shards.indexOf(platform.findById(id)!.username), id),
    timeoutMs,
    // An interrupted run may have left several commits in a file without a log: such a log counts as new, not as lost.
    isFirstStart: true,
    onError: addProblem
  })
  const attachments = new SharedAttachments({
    layout,
    objects,
    node: config.cluster.node,
    cacheBytes: 0,
    assertWriter: id => logs.assertWriter(id),
    onError: error => addProblem('attachments', error)
  })
  const accounts = new Accounts(layout, platform, {
    ...accountsOptions(config, silentLog, { durability: logs, attachments }),
    onError: addProblem
  })
  let count = 0
  try {
    for (const account of listAccounts(platform)) {
      await attachments.share(account.id)
      await accounts.runInBackground(account, () => {
        // Opening the file starts its log.
        accounts.openStore(account)
        return Promise.resolve()
      })
      await accounts.handover.release(account)
      count++
    }
  } finally {
    await accounts.close()
  }
  if (problems.length > 0)
    throw new OperatorError(`${formatCount(problems.length, 'problem')}, such as ${problems[0]}`)
  return count
}

/** Yields all accounts, including suspended and moved ones. */
function* listAccounts(platform: PlatformStore): Generator<Account, void, undefined> {
  for (let after = ''; ;) {
    const page = platform.listKnown(after, pageSize)
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)!.username
  }
}
