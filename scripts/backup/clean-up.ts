/**
 * Removes earlier states of a backup that are no longer kept, and files that no state refers to. Files with names that
 * this software does not use are left alone.
 */
import { isAccountId } from '../../storage/files/layout.js'
import {
  removeEarlierManifest,
  listEarlierTimes,
  getAccountFolder,
  writeEarlierManifest,
  readEarlierManifest,
  readRecord,
  type AccountEntry,
  type Manifest
} from './manifest.js'
import { selectKept, type RetentionRule } from './retention.js'
import type { Stored } from './stored.js'
import type { Vault } from './vault.js'

interface CleanUpOptions {
  /** The previous state, which is removed if `keep` is absent. */
  readonly former: Manifest | undefined
  /** Which earlier states to keep; by default all states that exist. */
  readonly keep: RetentionRule | undefined
  /** Lists of files that replace damaged ones, by the names of the damaged ones. */
  readonly replacedRecords: ReadonlyMap<string, Stored>
}

/**
 * Cleans up after `manifest` was written: removes the states that `keep` does not select (all earlier states
 * stay without it), and the files that no remaining state refers to. Also replaces damaged lists of files in
 * the remaining states. Returns what could not be removed, and why. Throws `BackupError` if another run
 * has taken over the place.
 */
export async function cleanUp(
  vault: Vault,
  manifest: Manifest,
  { former, keep, replacedRecords }: CleanUpOptions
): Promise<string[]> {
  await vault.place.assertLocked()
  const kept = [manifest]
  const gone = former ? [former] : []
  const times = await listEarlierTimes(vault)
  const latest = Math.floor(manifest.made)
  const wanted = new Set(keep ? selectKept([latest, ...times], keep) : times)
  // A state of the same second is replaced by the latest one.
  wanted.delete(latest)
  const dropped = times.filter(time => !wanted.has(time))
  for (const time of times) {
    const earlier = await readEarlierManifest(vault, time)
    if (wanted.has(time)) kept.push(await replaceDamagedRecords(vault, earlier, replacedRecords))
    else gone.push(earlier)
  }
  // Remove manifests before the files that they refer to: a run that is killed in between leaves no incomplete state.
  for (const time of dropped) await removeEarlierManifest(vault, time)
  return await removeUnused(vault, kept, gone)
}

/** Returns an earlier state in which intact lists of files replace damaged ones. */
async function replaceDamagedRecords(
  vault: Vault,
  earlier: Manifest,
  renewed: ReadonlyMap<string, Stored>
): Promise<Manifest> {
  if (!earlier.users.some(({ record }) => renewed.has(record.name))) return earlier
  const users = earlier.users.map(user => ({ ...user, record: renewed.get(user.record.name) ?? user.record }))
  const whole = { ...earlier, users }
  await writeEarlierManifest(vault, whole)
  return whole
}

/**
 * Removes files that only the `gone` manifests refer to. Returns the problems of accounts with an unreadable
 * record in a kept manifest: none of their files is removed. Also removes the folders of accounts that no
 * kept manifest contains.
 */
async function removeUnused(
  vault: Vault,
  kept: readonly Manifest[],
  gone: readonly Manifest[]
): Promise<string[]> {
  const problems: string[] = []
  const shared = kept.flatMap(({ platform, settings }) => (settings ? [platform, settings] : [platform]))
  const inUse = new Set(shared.map(({ name }) => vault.toFileName(name)))
  for (const name of (await vault.list()).filter(each =>
    /^(?:platform-[0-9a-z-]+\.sqlite|settings-[0-9a-z-]+\.yaml)(?:\.age)?$/.test(each)
  ))
    if (!inUse.has(name)) await vault.remove(name)
  const records = groupRecords(kept)
  const isGone = new Set(
    gone.flatMap(({ users }) =>
      users.filter(({ id, record }) => !records.get(id)?.has(record.name)).map(({ id }) => id)
    )
  )
  for (const shard of (await vault.list('users')).filter(each => /^[0-9a-f]{3}$/.test(each)))
    for (const id of (await vault.list(`users/${shard}`)).filter(isAccountId)) {
      const named = records.get(id)
      if (named && !isGone.has(id)) continue
      // If another run has taken over the place, it may be writing files that no manifest refers to yet.
      await vault.place.assertLocked()
      if (!named) await vault.remove(`users/${shard}/${id}`)
      else
        await removeUnusedOfUser(vault, id, [...named.values()]).catch((error: Error) => {
          problems.push(`${error.message}. The files of that account are unchanged`)
        })
    }
  return problems
}

/** Returns the records of each account, by name. */
function groupRecords(manifests: readonly Manifest[]): Map<string, Map<string, AccountEntry>> {
  const records = new Map<string, Map<string, AccountEntry>>()
  for (const user of manifests.flatMap(({ users }) => users)) {
    const ofUser = records.get(user.id) ?? new Map<string, AccountEntry>()
    ofUser.set(user.record.name, user)
    records.set(user.id, ofUser)
  }
  return records
}

/** Removes the files of a user that no backup names. `users`: the user's entries in all backups. */
async function removeUnusedOfUser(vault: Vault, id: string, users: readonly AccountEntry[]): Promise<void> {
  const folder = getAccountFolder(id)
  const named = new Set<string>()
  for (const user of users) {
    const { attachments, file } = await readRecord(vault, user)
    for (const { name } of [user.record, file, ...attachments]) named.add(vault.toFileName(name))
  }
  const shards = (await vault.list(`${folder}/attachments`)).filter(each => /^[a-z0-9]{2}$/.test(each))
  for (const at of [folder, ...shards.map(shard => `${folder}/attachments/${shard}`)])
    for (const name of (await vault.list(at)).filter(each =>
      /^[a-z0-9-]+(?:\.(?:sqlite|json))?(?:\.age)?$/.test(each)
    ))
      if (name !== 'attachments' && !named.has(`${at}/${name}`)) await vault.remove(`${at}/${name}`)
}
