/** `coffer migrate`: migrates all files to the current schema, which the service would do file by file on first use. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { migratePlatformFile, migrateUserFile, schemaVersions } from '../../storage/sqlite/copies.js'
import { lockDirectory } from '../../storage/sqlite/lock.js'
import { PlatformInspection } from '../../storage/inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { counted } from '../terminal/counted.js'
import { presentDirectoryOf } from '../terminal/directory.js'
import { split } from '../terminal/operands.js'
import { withBar, type Progress } from '../terminal/progress.js'

export interface MigrateOptions {
  readonly json?: true
}

interface MigrateReport {
  /** Schema version that the platform file had. */
  readonly platform: number
  accounts: number
  /** Accounts whose files were migrated. */
  migrated: number
  readonly problems: { readonly user: string; readonly detail: string }[]
}

/** Prints what was done. The exit code is 1 if a file could not be migrated. */
export async function migrate(args: readonly string[], { json }: MigrateOptions): Promise<void> {
  const { layout } = presentDirectoryOf(split(args).flags)
  const release = lockDirectory(layout.lockFile)
  try {
    const report = await withBar(json, progress => migrateAll(layout, progress))
    if (report.problems.length > 0) process.exitCode = 1
    if (json) return console.log(JSON.stringify(report, null, 2))
    for (const { detail, user } of report.problems) console.error([user, detail].join('\t'))
    console.log(
      `${counted(report.accounts, 'account')}, of which ${report.migrated} ${report.migrated === 1 ? 'was' : 'were'} migrated to version ${schemaVersions.user}; ` +
        `the platform file had version ${report.platform} and now has version ${schemaVersions.platform}`
    )
  } finally {
    release()
  }
}

async function migrateAll(layout: Layout, progress: Progress | undefined): Promise<MigrateReport> {
  const report: MigrateReport = {
    platform: migratePlatformFile(layout),
    accounts: 0,
    migrated: 0,
    problems: []
  }
  const inspection = new PlatformInspection(layout)
  try {
    progress?.begin(inspection.countAccounts())
    for (const { id, state, username } of inspection.accounts()) {
      report.accounts++
      progress?.step(report.accounts)
      if (state !== 'active') continue
      try {
        if (migrateUserFile(layout, id) < schemaVersions.user) report.migrated++
      } catch (error) {
        report.problems.push({
          user: username,
          detail: error instanceof Error ? error.message : String(error)
        })
      }
      await nextTurn()
    }
    return report
  } finally {
    inspection.close()
  }
}
