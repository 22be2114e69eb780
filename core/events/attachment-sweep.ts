/** Removes bytes that no event names: after deletions at once, and what a crash has left behind at start and daily. */
import { timeOfId } from '../ids.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Orphans removed between two looks at the store. */
const pageSize = 100

/** Removes the bytes of attachments that have been deleted. Never rejects: what could not be removed stays on record. */
export async function removeOrphans(core: Services, account: Account): Promise<void> {
  try {
    while (core.accounts.store(account).attachments.hasOrphans) {
      const ids = core.accounts.store(account).attachments.orphans(pageSize)
      for (const id of ids) await remove(core, account, id)
      const store = core.accounts.store(account)
      await store.commit(() => store.attachments.settle(ids))
    }
  } catch (cause) {
    core.log.warn('attachments could not be removed', { accountId: account.id, cause })
  }
}

/**
 * Removes files that no event has: whoever sent them was cut off in between. Those put in place after `before` (seconds)
 * may belong to a call that is under way. Answers how many it removed.
 */
export async function sweepAttachments(core: Services, account: Account, before: number): Promise<number> {
  // Most accounts have no files: theirs need not be opened.
  const ids = await core.attachments.list(account.id)
  if (ids.length > 0) await removeOrphans(core, account)
  let removed = 0
  for (const id of ids) {
    if (timeOfId(id) > before) continue
    if (core.accounts.store(account).attachments.has(id)) continue
    await remove(core, account, id)
    removed++
  }
  return removed
}

/** Removes a picture's previews first: should that be interrupted, the picture is still on record as to be removed. */
async function remove(core: Services, account: Account, id: string): Promise<void> {
  await core.previews.remove(account, id)
  await core.attachments.remove(account.id, id)
}
