/** The platform's index of unique values, made again from users' files that no service has open. */
import { UserInspection } from '../../storage/inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { UniqueValue } from '../../storage/repositories/account-fields.js'
import type { Account } from '../../storage/platform/account.js'

/** A value that two accounts hold: the index can only say so of one of them. */
export interface Conflict {
  readonly user: string
  readonly field: string
}

/** Makes the index of these accounts what their files say; answers the values that another account has too. */
export function reindex(layout: Layout, platform: PlatformStore, accounts: readonly Account[]): Conflict[] {
  // Entries that nobody holds must be gone before they stand in the way of those who do.
  for (const { id } of accounts) platform.replaceUnique(id, valuesOf(layout, id))
  return accounts.flatMap(({ id, username }) =>
    platform.replaceUnique(id, valuesOf(layout, id)).map(({ field }) => ({ user: username, field }))
  )
}

/** The values of an account that no other may have. */
export function valuesOf(layout: Layout, id: string): UniqueValue[] {
  const inspection = new UserInspection(layout, id)
  try {
    return inspection.uniqueValues()
  } finally {
    inspection.close()
  }
}
