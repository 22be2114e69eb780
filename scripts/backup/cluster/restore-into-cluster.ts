/**
 * Restores one account into a cluster whose nodes keep running. Attachments and a snapshot are stored first; then a
 * single record makes the account's log continue from the snapshot. Before that record nothing has changed; after it,
 * no node can write the previous state. (docs/cluster.md#one-account-alone)
 */
import { randomInt } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connectEngine } from '../../../cluster/connect.js'
import { FileThread } from '../../../cluster/files/file-thread.js'
import { continueLogFrom } from '../../../cluster/files/continue-log.js'
import { logSubject, shardCount } from '../../../cluster/nodes/shard-placement.js'
import { attachmentKey } from '../../../cluster/objects/attachment-key.js'
import { openObjects } from '../../../cluster/objects/open.js'
import { snapshotPrefix } from '../../../cluster/objects/snapshot-key.js'
import { PlatformLog } from '../../../cluster/platform/log.js'
import { removeShared } from '../../../cluster/remove-shared.js'
import { createFixedShards } from '../../../core/call/shard.js'
import type { Settings } from '../../../core/settings/settings.js'
import { DiskAttachments } from '../../../storage/files/attachments.js'
import { Layout } from '../../../storage/files/layout.js'
import { PlatformInspection } from '../../../storage/inspection/platform-inspection.js'
import type { Account } from '../../../storage/platform/account.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import type { UniqueValue } from '../../../storage/repositories/account-fields.js'
import { Taken, Unfinished } from '../../maintenance/place-account.js'
import { readUniqueValues } from '../../maintenance/unique-index.js'
import { BackupError } from '../backup-error.js'
import { restoreTemporarily, type RestoreResult, type RestoreOptions } from '../restore-backup.js'
import type { Vault } from '../vault.js'
import { assertFree, assertWebhookIdsFree } from './assert-free.js'
import type { ClusterConnection } from './cluster-connection.js'
import { requestFromServingNode } from './serving-node.js'

/** Time after which an engine that does not respond is considered unavailable. */
const engineTimeoutMs = 60_000
/** Maximum for the marks of unique values in doubt: integers that both SQLite and JSON can represent. */
const maxMark = 2 ** 47

/** Restores an account into a cluster, as `restoreAccount` does on one machine. */
export async function restoreIntoCluster(
  vault: Vault,
  settings: Settings,
  layout: Layout,
  username: string,
  options: RestoreOptions
): Promise<RestoreResult> {
  return await restoreTemporarily(
    vault,
    layout,
    username,
    options,
    async (restoredLayout, account) =>
      await withCluster(
        settings,
        restoredLayout,
        async cluster => await placeInCluster(cluster, restoredLayout, account)
      )
  )
}

/** Connects to the cluster under a name of its own, and closes everything after the work. */
async function withCluster<T>(
  { cluster: settings }: Settings,
  restoredLayout: Layout,
  work: (cluster: ClusterConnection) => Promise<T>
): Promise<T> {
  const engine = await connectEngine({ ...settings, node: `${settings.node}-restore` })
  const layout = new Layout(join(restoredLayout.root, 'cluster'))
  await mkdir(layout.draftsDirectory, { recursive: true, mode: 0o700 })
  const objects = openObjects(settings.objects, engine)
  const [files, platform] = [new FileThread(), new PlatformStore(layout)]
  try {
    const { draftsDirectory } = layout
    const log = await PlatformLog.open(platform, {
      engine,
      objects,
      draftsDirectory,
      timeoutMs: engineTimeoutMs,
      onError: () => {}
    })
    try {
      return await work({ engine, objects, files, layout, platform, timeoutMs: engineTimeoutMs })
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
 * Adds or replaces an account of a cluster with the checked files in a temporary directory. Rejects with `Taken`, `Unfinished` and
 * {@link BackupError} if nothing has changed, unless the error says otherwise. Rejects with `EngineUnavailable` if the outcome is
 * unknown: the account is then complete either way, and repeating the call finishes the restore.
 */
export async function placeInCluster(
  cluster: ClusterConnection,
  restoredLayout: Layout,
  account: Account
): Promise<'added' | 'replaced'> {
  const { engine, platform } = cluster
  const { id, username } = account
  const present = platform.find(username)
  if (present && present.state !== 'active') throw new Unfinished(username)
  if (present && present.id !== id)
    throw new BackupError(`An account named ${username} already exists. Delete or move it first`)
  if (!present && platform.findById(id)) throw new Taken(username, ['id'])
  const held = readUniqueValues(restoredLayout, id)
  assertFree(cluster, account, held)
  await assertWebhookIdsFree(cluster, restoredLayout, account)
  // Before anything changes, make sure that the serving node is able to release the account.
  if (present) await requestFromServingNode(engine, getShardName(cluster, account), 'letGo')
  if (present) await replaceAccount(cluster, restoredLayout, account, held)
  else await addAccount(cluster, restoredLayout, account, held)
  await requestFromServingNode(engine, getShardName(cluster, account), 'reopen')
  return present ? 'replaced' : 'added'
}

/** Adds an account. It claims the name just before the log starts: nodes remove claims that are older than a minute. */
async function addAccount(
  cluster: ClusterConnection,
  restoredLayout: Layout,
  account: Account,
  held: readonly UniqueValue[]
): Promise<void> {
  const { platform } = cluster
  const { created, formerUsernames, id, username } = account
  const unique = Object.fromEntries(held.map(({ field, key }) => [field, key]))
  let isClaimed = false
  try {
    await storeAttachments(cluster, restoredLayout, id)
    await continueLog(cluster, restoredLayout, account, async () => {
      const claim = { id, username, created, unique, ...(formerUsernames && { formerUsernames }) }
      const taken = await platform.change('claim', claim)
      if (taken.length > 0) throw new Taken(username, taken)
      // Some fields have several values.
      await platform.change('replaceUnique', id, held)
      isClaimed = true
    })
    if (!(await platform.change('complete', account))) throw new Unfinished(username)
  } catch (error) {
    // If this fails, the node that serves the user removes the claim. Without a claim, the log is unchanged or another restore's.
    if (isClaimed) await undoClaim(cluster, account).catch(() => undefined)
    else if (!platform.findById(id)) await removeObjects(cluster, id).catch(() => undefined)
    throw error
  }
}

async function undoClaim(cluster: ClusterConnection, account: Account): Promise<void> {
  const { platform } = cluster
  const { id } = account
  await platform.change('giveUp', id)
  // The claim may have been completed although the response was lost.
  if (platform.findById(id)?.state === 'active') return
  await removeAll(cluster, account)
  await platform.change('remove', id)
}

async function removeAll(cluster: ClusterConnection, account: RestoredAccount): Promise<void> {
  const { engine, objects, timeoutMs } = cluster
  await removeShared(account.id, { log: engine, objects, subject: getSubject(cluster, account), timeoutMs })
}

async function removeObjects({ objects }: ClusterConnection, account: string): Promise<void> {
  for (const prefix of [snapshotPrefix(account), attachmentKey(account)])
    for (const key of await objects.list(prefix)) await objects.remove(key)
}

/**
 * Replaces an account. Marks all unique values as in doubt, both the current ones and the restored ones: when the account's file is
 * next opened, the values that it contains are kept and the others released.
 */
async function replaceAccount(
  cluster: ClusterConnection,
  restoredLayout: Layout,
  account: Account,
  held: readonly UniqueValue[]
): Promise<void> {
  const { layout, platform } = cluster
  const { id, username } = account
  const reserve = async (): Promise<void> => {
    const inspection = new PlatformInspection(layout)
    try {
      const values = [...inspection.uniqueValues(id), ...held]
      const taken = await platform.change('reserveUnique', id, values, randomInt(1, maxMark))
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
    await storeAttachments(cluster, restoredLayout, id)
    await continueLog(cluster, restoredLayout, account, reserve)
    // The former file may have been opened again in between.
    await reserve()
  } catch (error) {
    if (platform.findById(id)) throw error
    // The user has deleted the account in the meantime, so all of it must be removed.
    await removeAll(cluster, account)
    throw new Unfinished(username)
  }
  await platform.change('addWebhooks', id)
}

/** Continues the account's log from the restored file, after `ready` has resolved. */
async function continueLog(
  cluster: ClusterConnection,
  restoredLayout: Layout,
  account: Account,
  ready: () => Promise<void>
): Promise<void> {
  const { engine, files, timeoutMs, layout, objects } = cluster
  const options = { log: engine, files, layout, objects, subject: getSubject(cluster, account), timeoutMs }
  await continueLogFrom(account.id, restoredLayout.userFile(account.id), options, ready)
  // Until then, a node may have removed attachments together with their events. Now none can write any more.
  const there = new Set(await objects.list(attachmentKey(account.id)))
  await storeAttachments(cluster, restoredLayout, account.id, key => !there.has(key))
}

/**
 * Uploads the restored attachments for which `isWanted` is true; all by default. Then also those that are stored already:
 * a node may be about to remove them as unused.
 */
async function storeAttachments(
  { objects }: ClusterConnection,
  restoredLayout: Layout,
  account: string,
  isWanted: (key: string) => boolean = () => true
): Promise<void> {
  for (const id of await new DiskAttachments(restoredLayout).list(account)) {
    const key = attachmentKey(account, id)
    if (isWanted(key)) await objects.put(key, restoredLayout.attachmentFile(account, id))
  }
}

function getSubject(cluster: ClusterConnection, account: RestoredAccount): string {
  return logSubject(createFixedShards(shardCount).indexOf(getShardName(cluster, account)), account.id)
}

/**
 * Returns the name that decides to which shard an account belongs: the first of its names that it has here, or can get here.
 */
function getShardName(
  { platform }: ClusterConnection,
  { formerUsernames = [], id, username }: RestoredAccount
): string {
  const present = platform.findById(id)
  if (present) return platform.usernames.getShardName(present.username)
  return formerUsernames.find(name => !platform.usernames.isTaken(name)) ?? username
}

type RestoredAccount = Pick<Account, 'formerUsernames' | 'id' | 'username'>
