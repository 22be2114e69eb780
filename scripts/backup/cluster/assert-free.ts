/** Checks whether an account can be placed in a cluster: no other has its values or its webhooks. */
import type { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import type { UniqueValue } from '../../../storage/repositories/account-fields.js'
import { Taken } from '../../maintenance/place-account.js'
import { readWebhookIds } from '../../maintenance/webhook-ids.js'
import { ClusterSource } from '../sources/cluster-source.js'
import type { ClusterConnection } from './cluster-connection.js'

/** Throws {@link Taken} if another account has one of the values. */
export function assertFree(
  { platform }: ClusterConnection,
  { id, username }: Account,
  held: readonly UniqueValue[]
): void {
  const taken = held.filter(value => (platform.findHolder(value) ?? id) !== id)
  if (taken.length > 0)
    throw new Taken(
      username,
      taken.map(({ field }) => field)
    )
}

/**
 * Throws {@link Taken} if another account has a webhook with the same id. Fetches all accounts that may have
 * webhooks. An account that cannot be fetched is skipped.
 */
export async function assertWebhookIdsFree(
  { engine, files, layout, objects, platform }: ClusterConnection,
  side: Layout,
  { id, username }: Account
): Promise<void> {
  const own = new Set(readWebhookIds(side, id))
  if (own.size === 0) return
  const source = new ClusterSource(engine, objects, files)
  for (const other of platform.listWebhookAccounts().filter(each => each.id !== id)) {
    let ids: string[] = []
    try {
      await source.copyAccount(other, layout)
      ids = readWebhookIds(layout, other.id)
    } catch {
      // The webhooks of an unreadable account never run, so they must not prevent the restore.
    }
    if (ids.some(each => own.has(each))) throw new Taken(username, ['webhook'])
  }
}
