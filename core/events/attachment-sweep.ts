/** Removes attachment files that no event names: at once after deletions, and leftovers of crashes at start and daily. */
import { getIdTime } from '../ids.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Orphans removed for each query of the store. */
const pageSize = 100

/** Files that are being stored by {@link storeAgain}, and the removals that are going on, by the ids of account and file. */
const storing = new Set<string>()
const removals = new Map<string, Promise<void>>()

/**
 * Runs `store`, which stores a file under an id that a former file may have had, and then names it in a row. Until then the file is
 * not removed, even if the former one is to be.
 */
export async function storeAgain<T>(account: Account, id: string, store: () => Promise<T>): Promise<T> {
  const key = toKey(account, id)
  storing.add(key)
  try {
    await removals.get(key)?.catch(() => undefined)
    return await store()
  } finally {
    storing.delete(key)
  }
}

/** Removals of an account's orphans that are going on, by its id. */
const runs = new Map<string, Promise<void>>()

/**
 * Removes the files of deleted attachments; joins the removal that is going on in the account. Never rejects: files that
 * could not be removed stay recorded as orphans.
 */
export async function removeOrphans(services: Services, account: Account): Promise<void> {
  const run = runs.get(account.id) ?? Promise.resolve().then(() => removeAllOrphans(services, account))
  runs.set(account.id, run)
  await run
}

/**
 * Removes the files of deleted attachments after a write. Resolves once they are removed if the write itself has
 * deleted some: others, which a bucket that is down may keep for long, are removed in the background.
 */
export async function removeOrphansAfterWrite(
  services: Services,
  account: Account,
  hasDeleted: boolean
): Promise<void> {
  const removal = removeOrphans(services, account)
  if (hasDeleted) await removal
}

async function removeAllOrphans(services: Services, account: Account): Promise<void> {
  try {
    while (services.accounts.openStore(account).attachments.hasOrphans) {
      const ids = services.accounts.openStore(account).attachments.listOrphans(pageSize)
      for (const id of ids) await remove(services, account, id)
      const store = services.accounts.openStore(account)
      await store.commit(() => store.attachments.removeOrphans(ids))
    }
  } catch (cause) {
    services.log.warn('attachments could not be removed', { accountId: account.id, cause })
  } finally {
    runs.delete(account.id)
  }
}

/**
 * Removes files that no event names, left by calls that were interrupted. Files stored after `before`
 * (seconds) may belong to a call in progress and are kept. Returns how many were removed. While the account
 * is being imported, none are.
 */
export async function sweepAttachments(
  services: Services,
  account: Account,
  before: number
): Promise<number> {
  // Most accounts have no attachments: their databases need not be opened.
  const ids = await services.attachments.list(account.id)
  if (ids.length === 0) return 0
  await removeOrphans(services, account)
  // Ids of imported files contain no time.
  if (services.imports.hasRunning(account)) return 0
  // Where several processes may serve the account, the one that goes on with an import needs its file.
  const waiting = new Set(services.accounts.openStore(account).imports.listOpenFileIds())
  let removed = 0
  for (const id of ids) {
    if (getIdTime(id) > before || waiting.has(id)) continue
    if (services.accounts.openStore(account).attachments.has(id)) continue
    await remove(services, account, id)
    removed++
  }
  return removed
}

/** Removes a picture's previews first: if that is interrupted, the picture is still recorded as an orphan. */
async function remove(services: Services, account: Account, id: string): Promise<void> {
  // Wait until it is certain that no row names the file: a write that is not confirmed may yet be undone.
  await services.accounts.openStore(account).waitUntilReadable()
  await services.previews.remove(account, id)
  const key = toKey(account, id)
  // It may have been imported again in the meantime.
  if (storing.has(key) || services.accounts.openStore(account).attachments.has(id)) return
  const removal = removals.get(key) ?? services.attachments.remove(account.id, id)
  removals.set(key, removal)
  try {
    await removal
  } finally {
    removals.delete(key)
  }
}

function toKey(account: Account, id: string): string {
  return `${account.id} ${id}`
}
