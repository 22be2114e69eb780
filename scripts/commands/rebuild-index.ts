/** `coffer rebuild-index`: rebuilds the platform file from the accounts' files. */
import { lockDirectory } from '../../storage/sqlite/lock.js'
import { formatCount, formatProblem } from '../terminal/output.js'
import { loadExistingDirectory } from '../terminal/directory.js'
import { splitArguments } from '../terminal/operands.js'
import { withProgressBar } from '../terminal/progress.js'
import { rebuildPlatform } from '../maintenance/rebuild-platform.js'

export interface RebuildOptions {
  readonly json?: true
}

/**
 * Rebuilds the platform database, or only its index if it is readable, and prints a report. The exit code is
 * 1 if there are problems. Throws `DirectoryLocked` if a service is running.
 */
export async function rebuildIndex(args: readonly string[], { json }: RebuildOptions): Promise<void> {
  const { layout } = loadExistingDirectory(splitArguments(args).flags)
  const release = lockDirectory(layout.lockFile)
  try {
    const report = await withProgressBar(json, progress => rebuildPlatform(layout, progress))
    if (report.problems.length > 0) process.exitCode = 1
    if (json) return console.log(JSON.stringify(report, null, 2))
    for (const problem of report.problems) console.error(formatProblem(problem))
    const what = report.isNew ? 'Platform database rebuilt' : 'Index of unique values rebuilt'
    console.log(`${what} from ${formatCount(report.accounts, 'account')}`)
    if (report.former !== undefined) console.log(`The previous database was moved to ${report.former}`)
    if (report.isNew)
      console.log(
        'Data that could not be read is lost. Check which accounts have moved to other servers, and which invitations are pending'
      )
  } finally {
    release()
  }
}
