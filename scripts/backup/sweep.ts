/** Removes the files of a backup that nothing names any more. Files whose names this software would not write are left alone. */
import { isAccountId } from '../../storage/files/layout.js'
import { folderOf, readRecord, type BackedUp, type Manifest } from './manifest.js'
import type { Vault } from './vault.js'

/**
 * Removes what only the `gone` manifests named. What one of the `kept` names stays. Rejects, before anything of an account is
 * removed, if one of its kept records cannot be read.
 */
export async function sweep(
  vault: Vault,
  kept: readonly Manifest[],
  gone: readonly Manifest[]
): Promise<void> {
  const shared = kept.flatMap(({ platform, settings }) => (settings ? [platform, settings] : [platform]))
  const inUse = new Set(shared.map(({ name }) => vault.fileOf(name)))
  for (const name of (await vault.list()).filter(each =>
    /^(?:platform-[0-9a-z-]+\.sqlite|settings-[0-9a-z-]+\.yaml)(?:\.age)?$/.test(each)
  ))
    if (!inUse.has(name)) await vault.remove(name)
  const records = recordsOf(kept)
  const isGone = new Set(
    gone.flatMap(({ users }) =>
      users.filter(({ id, record }) => !records.get(id)?.has(record.name)).map(({ id }) => id)
    )
  )
  for (const shard of (await vault.list('users')).filter(each => /^[0-9a-f]{3}$/.test(each)))
    for (const id of (await vault.list(`users/${shard}`)).filter(isAccountId)) {
      const named = records.get(id)
      if (named && !isGone.has(id)) continue
      // Whoever has the place by now may be writing what nothing names yet.
      await vault.place.mustHold()
      if (named) await sweepUser(vault, id, [...named.values()])
      else await vault.remove(`users/${shard}/${id}`)
    }
}

/** The records of each account, by their names. */
function recordsOf(manifests: readonly Manifest[]): Map<string, Map<string, BackedUp>> {
  const records = new Map<string, Map<string, BackedUp>>()
  for (const user of manifests.flatMap(({ users }) => users)) {
    const ofUser = records.get(user.id) ?? new Map<string, BackedUp>()
    ofUser.set(user.record.name, user)
    records.set(user.id, ofUser)
  }
  return records
}

async function sweepUser(vault: Vault, id: string, users: readonly BackedUp[]): Promise<void> {
  const folder = folderOf(id)
  const named = new Set<string>()
  for (const user of users) {
    const { attachments, file } = await readRecord(vault, user)
    for (const { name } of [user.record, file, ...attachments]) named.add(vault.fileOf(name))
  }
  const shards = (await vault.list(`${folder}/attachments`)).filter(each => /^[a-z0-9]{2}$/.test(each))
  for (const at of [folder, ...shards.map(shard => `${folder}/attachments/${shard}`)])
    for (const name of (await vault.list(at)).filter(each =>
      /^[a-z0-9-]+(?:\.(?:sqlite|json))?(?:\.age)?$/.test(each)
    ))
      if (name !== 'attachments' && !named.has(`${at}/${name}`)) await vault.remove(`${at}/${name}`)
}
