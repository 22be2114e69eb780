/**
 * Restores one account into a cluster whose nodes go on. Files and a snapshot are stored first, then the log of the account goes
 * on from the snapshot by a single record: until that is there nothing has changed, and behind it nobody can write what was
 * before. (docs/cluster.md#one-account-alone)
 */
import { randomInt } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connectEngine } from '../../../cluster/connect.js'
import type { Engine } from '../../../cluster/engine.js'
import { FileThread } from '../../../cluster/files/file-thread.js'
import { continueLogFrom } from '../../../cluster/files/continue-log.js'
import { logSubject, shardCount } from '../../../cluster/nodes/shard-placement.js'
import type { Objects } from '../../../cluster/objects.js'
import { attachmentKey } from '../../../cluster/objects/attachment-key.js'
import { openObjects } from '../../../cluster/objects/open.js'
import { snapshotPrefix } from '../../../cluster/objects/snapshot-key.js'
import { PlatformLog } from '../../../cluster/platform/log.js'
import { removeShared } from '../../../cluster/remove-shared.js'
import { fixedShards } from '../../../core/call/shard.js'
import type { Settings } from '../../../core/settings/settings.js'
import { DiskAttachments } from '../../../storage/files/attachments.js'
import { Layout } from '../../../storage/files/layout.js'
import { PlatformInspection } from '../../../storage/inspection.js'
import type { Account } from '../../../storage/platform/account.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import type { UniqueValue } from '../../../storage/repositories/account-fields.js'
import { Taken, Unfinished } from '../../maintenance/place-account.js'
import { valuesOf } from '../../maintenance/unique-index.js'
import { webhookIdsOf } from '../../maintenance/webhook-ids.js'
import { BackupError } from '../backup-error.js'
import { restoreAside, type Restored, type RestoreOptions } from '../restore-backup.js'
import { ClusterSource } from '../sources/cluster-source.js'
import type { Vault } from '../vault.js'
import { askServing } from './serving-node.js'

/** Time after which an engine that does not answer is given up, in milliseconds. */
const patienceMs = 60_000
/** Marks of unique values in doubt are below: numbers that both SQLite and JSON hold. */
const tickets = 2 ** 47

/** What a restore works with. */
export interface Cluster {
  readonly engine: Engine
  readonly objects: Objects
  readonly files: FileThread
  /** A folder beside, in which the platform file of the cluster is. */
  readonly layout: Layout
  /** That file, which follows the log as those of nodes do. */
  readonly platform: PlatformStore
  /** Time after which an engine that does not answer is given up, in milliseconds. */
  readonly giveUpMs: number
}

/** Restores an account, as `restoreAccount` does on one machine. */
export async function restoreIntoCluster(
  vault: Vault,
  settings: Settings,
  layout: Layout,
  username: string,
  options: RestoreOptions
): Promise<Restored> {
  return await restoreAside(
    vault,
    layout,
    username,
    options,
    async (side, account) =>
      await inCluster(settings, side, async cluster => await bring(cluster, side, account))
  )
}

async function inCluster<T>(
  { cluster: settings }: Settings,
  side: Layout,
  work: (cluster: Cluster) => Promise<T>
): Promise<T> {
  const engine = await connectEngine({ ...settings, node: `${settings.node}-restore` })
  const layout = new Layout(join(side.root, 'cluster'))
  await mkdir(layout.draftsDirectory, { recursive: true, mode: 0o700 })
  const objects = openObjects(settings.objects, engine)
  const [files, platform] = [new FileThread(), new PlatformStore(layout)]
  try {
    const { draftsDirectory } = layout
    const log = await PlatformLog.open(platform, {
      engine,
      objects,
      draftsDirectory,
      timeoutMs: patienceMs,
      onError: () => {}
    })
    try {
      return await work({ engine, objects, files, layout, platform, giveUpMs: patienceMs })
    } finally {
      await log.close()
    }
  } finally {
    platform.close()
    await files.close()
    await engine.close()
  }
}

/**
 * Brings an account of a folder beside, where its files have been checked, into a cluster. Rejects with `Taken`, `Unfinished` and
 * {@link BackupError}, and then nothing has changed, unless the error says so; with `EngineUnavailable`: whether it has changed or
 * not, it is whole, and a repeat ends what is missing.
 */
export async function bring(cluster: Cluster, side: Layout, account: Account): Promise<'added' | 'replaced'> {
  const { engine, platform } = cluster
  const { id, username } = account
  const present = platform.find(username)
  if (present && present.state !== 'active') throw new Unfinished(username)
  if (present && present.id !== id)
    throw new BackupError(`An account named ${username} already exists. Delete or move it first`)
  if (!present && platform.findById(id)) throw new Taken(username, ['id'])
  const held = valuesOf(side, id)
  assertFree(cluster, account, held)
  await assertWebhookIdsFree(cluster, side, account)
  // Whoever serves it has to know how to let it go, before anything is done.
  if (present) await askServing(engine, username, 'letGo')
  await storeFiles(cluster, side, id)
  if (present) await replace(cluster, side, account, held)
  else await add(cluster, side, account, held)
  await askServing(engine, username, 'reopen')
  return present ? 'replaced' : 'added'
}

/** Claims the name just before the log is begun: nodes end claims that have stood for a minute. */
async function add(
  cluster: Cluster,
  side: Layout,
  account: Account,
  held: readonly UniqueValue[]
): Promise<void> {
  const { platform } = cluster
  const { created, id, username } = account
  const unique = Object.fromEntries(held.map(({ field, key }) => [field, key]))
  let isClaimed = false
  try {
    await goOn(cluster, side, account, async () => {
      const taken = await platform.change('claim', { id, username, created, unique })
      if (taken.length > 0) throw new Taken(username, taken)
      isClaimed = true
    })
    if (!(await platform.change('complete', account))) throw new Unfinished(username)
  } catch (error) {
    // A claim that stays is ended by the node that serves the user. Without one the log is as it was, or that of another restore.
    if (isClaimed) await undo(cluster, account).catch(() => undefined)
    else if (!platform.findById(id)) await removeObjects(cluster, id).catch(() => undefined)
    throw error
  }
}

async function undo(cluster: Cluster, account: Account): Promise<void> {
  const { platform } = cluster
  const { id } = account
  await platform.change('giveUp', id)
  // It may have been completed all the same, with an answer that was lost.
  if (platform.findById(id)?.state === 'active') return
  await removeAll(cluster, account)
  await platform.change('remove', id)
}

async function removeAll(
  { engine: log, giveUpMs, objects }: Cluster,
  account: Pick<Account, 'id' | 'username'>
): Promise<void> {
  await removeShared(account.id, { log, objects, subject: subjectOf(account), timeoutMs: giveUpMs })
}

async function removeObjects({ objects }: Cluster, account: string): Promise<void> {
  for (const prefix of [snapshotPrefix(account), attachmentKey(account)])
    for (const key of await objects.list(prefix)) await objects.remove(key)
}

/**
 * Marks all unique values as in doubt, those that the account has today and those that it had: the next opening of its file,
 * whichever that is by then, keeps what is in it and frees the others.
 */
async function replace(
  cluster: Cluster,
  side: Layout,
  account: Account,
  held: readonly UniqueValue[]
): Promise<void> {
  const { layout, platform } = cluster
  const { id, username } = account
  const reserve = async (): Promise<void> => {
    const inspection = new PlatformInspection(layout)
    try {
      const values = [...inspection.uniqueValues(id), ...held]
      const taken = await platform.change('reserveUnique', id, values, randomInt(1, tickets))
      if (taken.length > 0)
        throw new Taken(
          username,
          taken.map(({ field }) => field)
        )
    } finally {
      inspection.close()
    }
    if (platform.findById(id)?.state !== 'active') throw new Unfinished(username)
  }
  try {
    await goOn(cluster, side, account, reserve)
    // The former file may have been opened once more in between.
    await reserve()
  } catch (error) {
    if (platform.findById(id)) throw error
    // Its owner has deleted it meanwhile: nothing of it is to stay.
    await removeAll(cluster, account)
    throw new Unfinished(username)
  }
  await platform.change('addWebhooks', id)
}

async function goOn(
  cluster: Cluster,
  side: Layout,
  account: Account,
  ready: () => Promise<void>
): Promise<void> {
  const { engine: log, files, giveUpMs, layout, objects } = cluster
  const options = { log, files, layout, objects, subject: subjectOf(account), timeoutMs: giveUpMs }
  await continueLogFrom(account.id, side.userFile(account.id), options, ready)
  // Whoever wrote the account until then may have removed some with their events. Nobody can any more.
  const there = new Set(await objects.list(attachmentKey(account.id)))
  await storeFiles(cluster, side, account.id, key => !there.has(key))
}

/** Throws {@link Taken} if another account has one of the values. */
function assertFree({ platform }: Cluster, { id, username }: Account, held: readonly UniqueValue[]): void {
  const taken = held.filter(value => (platform.findHolder(value) ?? id) !== id)
  if (taken.length === 0) return
  throw new Taken(
    username,
    taken.map(({ field }) => field)
  )
}

/** Throws {@link Taken} if another account has a webhook with the same id: all that may have webhooks are fetched and asked. */
async function assertWebhookIdsFree(
  { engine, files, layout, objects, platform }: Cluster,
  side: Layout,
  { id, username }: Account
): Promise<void> {
  const own = new Set(webhookIdsOf(side, id))
  if (own.size === 0) return
  const source = new ClusterSource(engine, objects, files)
  for (const other of platform.listWebhookAccounts().filter(each => each.id !== id)) {
    let ids: string[] = []
    try {
      await source.copyAccount(other, layout)
      ids = webhookIdsOf(layout, other.id)
    } catch {
      // The webhooks of an account that cannot be read never run, so they must not keep another account out.
    }
    if (ids.some(each => own.has(each))) throw new Taken(username, ['webhook'])
  }
}

/** All of them: one that is there already may be about to be removed, as nothing needs it today. */
async function storeFiles(
  { objects }: Cluster,
  side: Layout,
  account: string,
  isWanted: (key: string) => boolean = () => true
): Promise<void> {
  for (const id of await new DiskAttachments(side).list(account)) {
    const key = attachmentKey(account, id)
    if (isWanted(key)) await objects.put(key, side.attachmentFile(account, id))
  }
}

function subjectOf({ id, username }: Pick<Account, 'id' | 'username'>): string {
  return logSubject(fixedShards(shardCount).indexOf(username), id)
}
