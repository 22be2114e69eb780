/** What has to be done until all files of a data directory have the schema of this software. Reads only. */
import { statfsSync, statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Layout } from '../../storage/files/layout.js'
import { PlatformInspection } from '../../storage/inspection.js'
import { readPlatformVersion, schemaVersions, stepNames, readUserVersion } from '../../storage/sqlite/copies.js'
import type { Progress } from '../terminal/progress.js'

export interface Pending {
  /** The version that the platform file has, and the names of the steps that it lacks. */
  readonly platform: { readonly version: number; readonly steps: readonly string[] }
  readonly accounts: number
  /** How many of them have to be migrated. */
  readonly outdated: number
  /** The least version of their files, and the names of the steps that these lack. */
  readonly users: { readonly version: number; readonly steps: readonly string[] }
  /** Bytes of the files to be migrated, those that this may take at most beside them, and those that are free. */
  readonly room: { readonly files: number; readonly needed: number; readonly free: number }
  /** Accounts whose files cannot be migrated. */
  readonly problems: readonly { readonly user: string; readonly detail: string }[]
}

/** Looks at all files, whether or not a service runs. Throws `StoreDamaged`, `StoreTooNew` for the platform file. */
export async function pendingIn(layout: Layout, progress?: Progress): Promise<Pending> {
  const platform = readPlatformVersion(layout)
  const sizes = platform < schemaVersions.platform ? [sizeOf(layout.platformFile)] : []
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
          sizes.push(sizeOf(layout.userFile(id)))
        }
      } catch (error) {
        problems.push({ user: username, detail: detailOf(error) })
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
    room: roomFor(layout, sizes),
    problems
  }
}

/** Whether there is nothing to do. */
export function isCurrent({ outdated, platform }: Pending): boolean {
  return outdated === 0 && platform.steps.length === 0
}

/** An error of one file, in words. */
export function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Files are migrated one by one, each in one transaction: the log of the largest, and the growth of all, at most their size. */
function roomFor({ root }: Layout, sizes: readonly number[]): Pending['room'] {
  const { bavail, bsize } = statfsSync(root)
  const files = sizes.reduce((sum, size) => sum + size, 0)
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0)
  return { files, needed: files + largest, free: bavail * bsize }
}

/** Bytes of a file with its log. */
function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0
  )
}
