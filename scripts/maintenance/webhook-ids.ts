/** Ids of webhooks, which have to be unique across the accounts of a service. */
import { PlatformInspection } from '../../storage/inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { ForeignRows } from '../../storage/validation/foreign-file.js'

/** The ids of an account's webhooks. */
export function webhookIdsOf(layout: Layout, account: string): string[] {
  const file = new ForeignRows(layout, account)
  try {
    return Array.from(file.rows('SELECT id FROM webhook'), ({ id }) => String(id))
  } finally {
    file.close()
  }
}

/** The ids of the webhooks of all accounts but one. */
export function webhookIdsBeside(layout: Layout, account: string): Set<string> {
  const platform = new PlatformInspection(layout)
  try {
    const others = platform.webhookAccounts().filter(id => id !== account)
    return new Set(others.flatMap(id => idsIfReadable(layout, id)))
  } finally {
    platform.close()
  }
}

/** Skips damaged accounts: their webhooks never run, so they must not keep another account out. */
function idsIfReadable(layout: Layout, account: string): string[] {
  try {
    return webhookIdsOf(layout, account)
  } catch {
    return []
  }
}
