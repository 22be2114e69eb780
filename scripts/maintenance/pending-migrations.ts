/** Finds the files of a data directory that must be migrated to the schema of this software. Read-only. */
import { statfsSync, statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Layout } from '../../storage/files/layout.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import {
  readPlatformVersion,
  schemaVersions,
  stepNames,
  readUserVersion
} from '../../storage/sqlite/copies.js'
import type { Progress } from '../terminal/progress.js'

export interface PendingMigrations {
  /** Schema version of the platform file, and names of its missing migration steps. */
  readonly platform: { readonly version: number; readonly steps: readonly string[] }
  readonly accounts: number
  /** Number of accounts to migrate. */
  readonly outdated: number
  /** Lowest schema version of their files, and names of its missing migration steps. */
  readonly users: { readonly version: number; readonly steps: readonly string[] }
  /** Bytes of the files to migrate, maximum bytes that the migration needs in addition, and free bytes. */
  readonly room: { readonly files: number; readonly needed: number; readonly free: number }
  /** Accounts whose files cannot be migrated. */
  readonly problems: readonly { readonly user: string; readonly detail: string }[]
}

/**
 * Examines all files, whether or not a service is running, and changes nothing. Accounts whose files cannot
 * be read are returned as problems. Throws `StoreDamaged` or `StoreTooNew` for the platform file.
 */
export async function findPending(layout: Layout, progress?: Progress): Promise<PendingMigrations> {
  const platform = readPlatformVersion(layout)
  const sizes = platform < schemaVersions.platform ? [getSize(layout.platformFile)] : []
  const problems: { user: string; detail: string }[] = []
  let accounts = 0
  let least: number = schemaVersions.user
  let outdated = 0
  const inspection = new PlatformInspection(layout)
  try {
    progress?.begin(inspection.countAccounts())
    for (const { id, state, username } of inspection.accounts()) {
      accounts++
      progress?.step(accounts)
      if (state !== 'active') continue
      try {
        const version = readUserVersion(layout, id)
        least = Math.min(least, version)
        if (version < schemaVersions.user) {
          outdated++
          sizes.push(getSize(layout.userFile(id)))
        }
      } catch (error) {
        problems.push({ user: username, detail: getErrorMessage(error) })
      }
      await nextTurn()
    }
  } finally {
    inspection.close()
  }
  return {
    platform: { version: platform, steps: stepNames.platform.slice(platform) },
    accounts,
    outdated,
    users: { version: least, steps: stepNames.user.slice(least) },
    room: computeRoom(layout, sizes),
    problems
  }
}

/** Returns true if there is nothing to migrate. */
export function isUpToDate({ outdated, platform }: PendingMigrations): boolean {
  return outdated === 0 && platform.steps.length === 0
}

/** Returns the message of an error. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Computes the disk space. Files are migrated one by one in a transaction: room for the log of the largest file, and
 * for each file to grow to at most twice its size.
 */
function computeRoom({ root }: Layout, sizes: readonly number[]): PendingMigrations['room'] {
  const { bavail, bsize } = statfsSync(root)
  const files = sizes.reduce((sum, size) => sum + size, 0)
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0)
  return { files, needed: files + largest, free: bavail * bsize }
}

/** Returns the bytes of a file with its log. */
function getSize(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0
  )
}
