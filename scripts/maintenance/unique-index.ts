/** Rebuilds the platform's index of unique values from account databases that are not open in a service. */
import { StoreTooNew, translateError } from '../../storage/errors.js'
import { UserInspection } from '../../storage/inspection/user-inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { UniqueValue } from '../../storage/repositories/account-fields.js'
import type { Account } from '../../storage/platform/account.js'

/** A value that two accounts have. The index can contain the value for only one of these accounts. */
export interface Conflict {
  readonly user: string
  readonly field: string
}

/**
 * Rebuilds the index entries of accounts. Returns the values that other accounts have as well. These stay
 * with the other account.
 */
export function rebuildUniqueIndex(
  layout: Layout,
  platform: PlatformStore,
  accounts: readonly Account[]
): Conflict[] {
  // Two passes: stale entries must be removed before they conflict with valid ones.
  for (const { id } of accounts) platform.changeNow('replaceUnique', id, readUniqueValues(layout, id))
  return accounts.flatMap(({ id, username }) =>
    platform
      .changeNow('replaceUnique', id, readUniqueValues(layout, id))
      .map(({ field }) => ({ user: username, field }))
  )
}

/** Returns the unique values in an account's file. Throws `StoreDamaged`, `StoreTooNew`. */
export function readUniqueValues(layout: Layout, id: string): UniqueValue[] {
  const inspection = new UserInspection(layout, id)
  try {
    return inspection.uniqueValues()
  } catch (error) {
    throw translateError(error, layout.userFile(id))
  } finally {
    inspection.close()
  }
}

/** Throws `StoreTooNew` if an account's file is of a newer version of the software. Accepts damaged and missing files. */
export function assertNotNewer(layout: Layout, id: string): void {
  try {
    new UserInspection(layout, id).close()
  } catch (error) {
    if (error instanceof StoreTooNew) throw error
  }
}
