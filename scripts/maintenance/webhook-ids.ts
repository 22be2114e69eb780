/** Ids of webhooks, which must be unique across the accounts of a service. */
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { ForeignRows } from '../../storage/validation/foreign-file.js'

/** Returns the ids of an account's webhooks. */
export function readWebhookIds(layout: Layout, account: string): string[] {
  const file = new ForeignRows(layout, account)
  try {
    return Array.from(file.rows('SELECT id FROM webhook'), ({ id }) => String(id))
  } finally {
    file.close()
  }
}

/** Returns the ids of the webhooks of all other accounts. Accounts that cannot be read are skipped. */
export function listOtherWebhookIds(layout: Layout, account: string): Set<string> {
  const platform = new PlatformInspection(layout)
  try {
    const others = platform.webhookAccounts().filter(id => id !== account)
    return new Set(others.flatMap(id => listReadableIds(layout, id)))
  } finally {
    platform.close()
  }
}

/** Returns no ids for a damaged account: its webhooks never run, so they must not prevent adding another account. */
function listReadableIds(layout: Layout, account: string): string[] {
  try {
    return readWebhookIds(layout, account)
  } catch {
    return []
  }
}
